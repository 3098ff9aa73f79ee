#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs.sh DIRECTORY: writes the reference pages of all instructions and rules, as the command prints them, into
# DIRECTORY/man7 (read with `man -l`) and DIRECTORY/instructions.html. PTO names the command.
set -euo pipefail
out=$1 pto=${PTO:?}
mkdir -p "$out/man7"
pages=$(mktemp)
trap 'rm -f "$pages"' EXIT
"$pto" isa | sed -n 's/^  \([A-Z][A-Z0-9_]*\)  *\(.*\)/\1\t\2/p' | sort -u |
    while IFS=$'\t' read -r name summary; do
        printf '\f%s\t%s\n' "$name" "$summary"
        "$pto" isa "$name"
    done >"$pages"
{
    printf '\frules\n'
    # shellcheck disable=SC2046
    "$pto" explain $("$pto" explain | awk '{print $1}')
} >>"$pages"
# A form feed begins a page. In man pages a title of two spaces begins a section; all else stays as the command prints it.
awk -v out="$out" -v version="$("$pto" --version | awk '{print $NF; exit}')" '
function roff(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); sub(/^\./, "\\\\\\&.", s); return s }
function html(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
function finish() {
    if (man) { if (open) print ".fi" >man; close(man) }
    if (name) body = body "</pre>\n"
}
/^\f/ {
    finish()
    split(substr($0, 2), head, "\t")
    name = head[1]
    links = links "<a href=\"#" name "\">" name "</a>\n"
    body = body "<h2 id=\"" name "\">" name "</h2>\n<pre>"
    open = 0
    man = name == "rules" ? "" : out "/man7/" name ".7"
    if (man) printf ".TH %s 7 \"\" \"pto %s\" \"PTO tile instructions\"\n.SH NAME\n%s \\- %s\n", name, version, name, roff(head[2]) >man
    count += man != ""
    skip = man ? 2 : 0 # the title, which stands here already
    next
}
skip { skip--; next }
{
    body = body html($0) "\n"
    if (!man) next
    if (/^  [a-z]/) {
        if (open) print ".fi" >man
        print ".SH " toupper(roff(substr($0, 3))) >man
        print ".nf" >man
        open = 1
    } else print roff($0) >man
}
END {
    finish()
    page = out "/instructions.html"
    print "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>PTO tile instructions</title>" >page
    print "<style>body{font-family:sans-serif;margin:2em auto;max-width:72em}pre{background:#f6f6f6;padding:1em;overflow:auto}" >page
    print "nav a{margin-right:.6em}</style></head><body><h1>PTO tile instructions</h1><nav>" >page
    print links "</nav>" >page
    print body "</body></html>" >page
    printf "%d pages in %s/man7, all of them in %s\n", count, out, page
}' "$pages"
