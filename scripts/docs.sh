#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs.sh DIRECTORY: writes the reference pages of all instructions and rules, as the command prints them, into
# DIRECTORY/man7 (read with `man -l`) and DIRECTORY/instructions.html. PTO names the command.
set -euo pipefail
out=$1 pto=${PTO:?}
mkdir -p "$out/man7"
page=$(mktemp)
trap 'rm -f "$page"' EXIT
html=$out/instructions.html
{
    echo '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>PTO tile instructions</title>'
    echo '<style>body{font-family:sans-serif;margin:2em auto;max-width:72em}pre{background:#f6f6f6;padding:1em;overflow:auto}'
    echo 'nav a{margin-right:.6em}</style></head><body><h1>PTO tile instructions</h1>'
} >"$html"
"$pto" isa | sed -n 's/^  \([A-Z][A-Z0-9_]*\)  *\(.*\)/\1\t\2/p' | sort -u >"$page.list"
{
    echo '<nav>'
    cut -f1 "$page.list" | sed 's|.*|<a href="#&">&</a>|'
    echo '<a href="#rules">rules</a></nav>'
} >>"$html"
while IFS=$'\t' read -r name summary; do
    "$pto" isa "$name" >"$page"
    {
        printf '.TH %s 7 "" "pto %s" "PTO tile instructions"\n' "$name" "$("$pto" --version | awk '{print $NF; exit}')"
        printf '.SH NAME\n%s \\- %s\n' "$name" "${summary//\\/\\e}"
        # a title of two spaces begins a section; everything else stays as the command prints it
        sed 1,2d "$page" | sed 's/\\/\\e/g; s/^\./\\\&./; s/-/\\-/g' |
            awk '/^  [a-z]/ { if (open) print ".fi"; print ".SH " toupper(substr($0, 3)); print ".nf"; open = 1; next } { print } END { if (open) print ".fi" }'
    } >"$out/man7/$name.7"
    {
        printf '<h2 id="%s">%s</h2>\n<pre>' "$name" "$name"
        sed 1,2d "$page" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
        echo '</pre>'
    } >>"$html"
done <"$page.list"
{
    echo '<h2 id="rules">Rules</h2>'
    # shellcheck disable=SC2046
    "$pto" explain $("$pto" explain | awk '{print $1}') | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; 1s/^/<pre>/'
    echo '</pre></body></html>'
} >>"$html"
echo "$(wc -l <"$page.list") pages in $out/man7, all of them in $html"
rm -f "$page.list"
