#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target for a bounded time: fuzz.sh BUILD-DIR SECONDS
# Each runs on a copy of its seeds, so the source tree stays as it is. What a finding leaves behind is kept in
# BUILD-DIR/findings/; exit 1 if there was one.
set -euo pipefail
build=$(cd "$1" && pwd)
seconds=$2
cd "$(dirname "$0")/.."

findings=$build/findings
mkdir -p "$findings"
corpus=$(mktemp -d "$build/corpus.XXXXXX")
trap 'rm -rf "$corpus"' EXIT

count=0
failed=()
for program in "$build"/fuzz/fuzz_*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then
        continue
    fi
    name=$(basename "$program")
    name=${name#fuzz_}
    mkdir "$corpus/$name"
    if [ -d "fuzz/corpus/$name" ]; then
        cp -R "fuzz/corpus/$name/." "$corpus/$name/"
    fi
    options=("-max_total_time=$seconds" -timeout=20 "-artifact_prefix=$findings/$name-" -print_final_stats=1)
    if [ -f "fuzz/$name.dict" ]; then
        options+=("-dict=fuzz/$name.dict")
    fi
    count=$((count + 1))
    echo "fuzz: $name, $seconds s"
    if "$program" "${options[@]}" "$corpus/$name" >"$findings/$name.log" 2>&1; then
        grep -E '^stat::number_of_executed_units|^Done ' "$findings/$name.log" || true
    else
        tail -n 60 "$findings/$name.log"
        failed+=("$name")
    fi
done

if [ $count -eq 0 ]; then
    echo "fuzz: there is no fuzz target" >&2
    exit 1
fi
if [ ${#failed[@]} -gt 0 ]; then
    echo "fuzz: findings in ${failed[*]}; see $findings" >&2
    exit 1
fi
echo "fuzz: no finding in $count target(s)"
