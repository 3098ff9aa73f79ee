#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sees to it that all is there that the build needs: setup.sh [fuzz] [format]
#   fuzz    also the sanitizer and fuzzer runtime of clang
#   format  also clang-format
# Silent when nothing is missing. On Debian and its kin, root gets the missing packages installed and anybody else is
# told the command to run (exit 1). On other systems it names what is missing (exit 1).
set -euo pipefail

packages=(gcc g++ clang cmake ninja-build make pkg-config libcmocka-dev libmpfr-dev libgmp-dev libjansson-dev)
commands=(gcc g++ clang++ cmake ninja make pkg-config)
modules=(cmocka mpfr gmp jansson)
runtime=

for extra in "$@"; do
    case $extra in
    fuzz)
        runtime=1
        ;;
    format)
        packages+=(clang-format)
        commands+=(clang-format)
        ;;
    *)
        echo "usage: setup.sh [fuzz] [format]" >&2
        exit 2
        ;;
    esac
done

# True if clang finds its fuzzer runtime; which package has it depends on the version of clang.
has_runtime() {
    local program=
    command -v clang >/dev/null || return 1
    program='int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return d == 0 && n; }'
    clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null <<<"$program" 2>/dev/null
}

# The package with the runtime of the installed clang, or of the clang that would be installed.
runtime_package() {
    local major
    if command -v clang >/dev/null; then
        major=$(clang -dumpversion)
    else
        major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    fi
    major=${major%%.*}
    if [ -z "$major" ]; then
        echo libclang-rt-dev
    elif [ -n "$(apt-cache pkgnames "libclang-rt-$major-dev" 2>/dev/null)" ]; then
        echo "libclang-rt-$major-dev"
    else
        echo "libclang-common-$major-dev"
    fi
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    missing=()
    for command in "${commands[@]}"; do
        command -v "$command" >/dev/null || missing+=("$command")
    done
    if command -v pkg-config >/dev/null; then
        for module in "${modules[@]}"; do
            pkg-config --exists "$module" || missing+=("$module (library)")
        done
    fi
    if [ "$runtime" ] && command -v clang >/dev/null && ! has_runtime; then
        missing+=("compiler-rt of clang (libFuzzer, sanitizers)")
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        echo "setup: missing, please install:" >&2
        printf '  %s\n' "${missing[@]}" >&2
        exit 1
    fi
    exit 0
fi

# Packages that are known to dpkg but not installed have another status than "installed".
installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
    [[ $installed == *" $package=installed "* ]] || missing+=("$package")
done
if [ "$runtime" ] && has_runtime; then
    runtime=
fi
if [ ${#missing[@]} -eq 0 ] && [ -z "$runtime" ]; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ]; then
    [ -z "$runtime" ] || missing+=("$(runtime_package)")
    echo "sudo apt-get install -y ${missing[*]}"
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        echo "setup: apt-get $1 failed" >&2
        exit 1
    }
}
apt update
[ -z "$runtime" ] || missing+=("$(runtime_package)")
echo "setup: installing ${missing[*]}"
apt install -y --no-install-recommends "${missing[@]}"
