# SPDX-License-Identifier: Apache-2.0
# bash completion for pto; names and rules come from the command itself.
_pto() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "run explore check fmt emit isa explain as dis help --help --version" -- "$cur")
        return
    fi
    case $prev in
    -t | --target)
        mapfile -t COMPREPLY < <(compgen -W "cpu a2a3 a5" -- "$cur")
        return
        ;;
    --to)
        mapfile -t COMPREPLY < <(compgen -W "pto-as level1 level2 generic bytecode block" -- "$cur")
        return
        ;;
    -l | --lang)
        mapfile -t COMPREPLY < <(compgen -W "c++" -- "$cur")
        return
        ;;
    --simd)
        mapfile -t COMPREPLY < <(compgen -W "best base avx2 avx512" -- "$cur")
        return
        ;;
    --numeric)
        mapfile -t COMPREPLY < <(compgen -W "$(pto run --numeric list 2>/dev/null | awk '{print $1}')" -- "$cur")
        return
        ;;
    --check)
        mapfile -t COMPREPLY < <(compgen -W "race init sync memory all none" -- "$cur")
        return
        ;;
    --suppress)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --schedule)
        mapfile -t COMPREPLY < <(compgen -W "program adversarial random:" -- "$cur")
        return
        ;;
    --show)
        mapfile -t COMPREPLY < <(compgen -W "memory memory.svg" -- "$cur")
        return
        ;;
    -b | --blocks | --subblocks | -j | --threads | -e | --entry | -n | --runs | --seed) return ;;
    esac
    if [[ $cur == -* ]]; then
        local options
        options=$(pto "$command" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    case $command in
    isa)
        mapfile -t COMPREPLY < <(compgen -W "$(pto isa 2>/dev/null | awk '/^  /{print $1}')" -- "${cur^^}")
        ;;
    explain)
        mapfile -t COMPREPLY < <(compgen -W "$(pto explain 2>/dev/null | awk '{print $1}')" -- "${cur^^}")
        ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W "run explore check fmt emit isa explain as dis" -- "$cur")
        ;;
    *)
        # the file part of name=file
        local path=${cur#*=}
        mapfile -t COMPREPLY < <(compgen -f -- "$path")
        compopt -o filenames 2>/dev/null
        ;;
    esac
}
complete -F _pto pto
