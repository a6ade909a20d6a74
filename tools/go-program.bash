# What tools/helm and tools/k9s share: a program that tests use, from its published Go module.
#
#     name=helm version=v3.18.6 module=helm.sh/helm/v3 package=./cmd/helm
#     . "$(dirname "${BASH_SOURCE[0]}")/go-program.bash"
#     go_program "$@"
#
# The comment at the top of the caller is its --help.
#
# shellcheck shell=bash disable=SC2154  # what the caller sets

unavailable=77

say() { printf '%s: %s\n' "$name" "$*" >&2; }

# The module is built as its authors do, with the versions of its own go.sum. `go install` would also ask which versions
# there are, which not every proxy tells.
go_program_compile() {
    local source
    source=$(go mod download -json "$module@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    [ -n "$source" ] || return 1
    CGO_ENABLED=0 nice go build -C "$source" -p "${JOBS:-2}" -mod=readonly -buildvcs=false -ldflags "${stamps:-}" -o "$1" "$package"
}

# Elsewhere first, so that what was interrupted is not taken for a program.
go_program_build() {
    local folder=$1 scratch
    if ! command -v go >/dev/null; then
        say 'cannot be had: there is no Go to build it with'
        return "$unavailable"
    fi
    mkdir -p "$folder"
    scratch=$(mktemp -d "$folder/.build.XXXXXX")
    say "building $version, a few minutes"
    if ! go_program_compile "$scratch/$name" >"$scratch/log" 2>&1; then
        tail -n 3 "$scratch/log" >&2
        rm -rf "$scratch"
        say 'cannot be had: the build failed'
        return "$unavailable"
    fi
    mv "$scratch/$name" "$folder/$name"
    rm -rf "$scratch"
}

go_program() {
    local folder=${XDG_CACHE_HOME:-$HOME/.cache}/corset/$name/$version
    case ${1:-} in
    '' | --where) ;;
    -h | --help)
        sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    *)
        say "unexpected '$1'; see --help"
        exit 2
        ;;
    esac
    if [ ! -x "$folder/$name" ]; then
        [ "${1:-}" != --where ] || exit "$unavailable"
        go_program_build "$folder" || exit
    fi
    echo "$folder/$name"
}
