# What the tests of corset render share: it is run with standard input from a file, and judged.
#
#     try 'names' 0 -o name -f "$work/in"      runs corset render, checks the exit code
#     out_is <<'EOF'                           and what it printed
#
# shellcheck shell=bash disable=SC2034  # what the tests use

corset=$1
data=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0
: >"$work/in"

fail() {
    echo "FAILED: $1" >&2
    sed 's/^/  out: /' "$work/out" >&2
    sed 's/^/  err: /' "$work/err" >&2
    exit 1
}

# try NAME CODE ARGUMENTS...: runs it with standard input from $work/in and checks the exit code.
try() {
    local name=$1 code=$2 seen=0
    shift 2
    "$corset" render "$@" <"$work/in" >"$work/out" 2>"$work/err" || seen=$?
    [ "$seen" = "$code" ] || fail "$name: exit code $seen instead of $code"
    cases=$((cases + 1))
}

out_is() {
    diff -u - "$work/out" >&2 || fail 'standard output differs from what is expected'
}

err_has() {
    grep -qF -- "$1" "$work/err" || fail "standard error lacks: $1"
}

is_quiet() {
    [ ! -s "$work/$1" ] || fail "something on $1"
}
