# What the files of steps/ are written in. A step is one call of kubectl and what must be seen of it:
#
#     ok 'get prints a table' get configmap one          exit code 0, nothing on the error output
#     says '^NAME +DATA +AGE$'                           a line of the output matches
#
#     fails 'get of nothing is an error' get configmap x exit code 1, nothing on the output
#     complains 'configmaps "x" not found'               a line of the error output matches
#
# Whatever appears on the error output of a step must be complained() about, line by line; an ok step
# whose warning is expected says so by complains. A step that fails does not end the run.
#
# shellcheck shell=bash disable=SC2154  # what run sets

steps_run=0
steps_failed=0
step=''
out='' # of the last kubectl
err=''

# Into a file, since a step's asides run in subshells. What goes wrong before the first step is its fault.
fault() { printf '%s\n' "$*" >>"$scratch/faults"; }

# Ends the step at work, if any: whatever was complained about and not expected is a fault.
step_end() {
    [ -n "$step" ] || return 0
    local line
    while IFS= read -r line; do
        [ -z "$line" ] || fault "complained: $line"
    done <<<"$err"
    steps_run=$((steps_run + 1))
    if [ ! -s "$scratch/faults" ]; then
        printf 'PASS  %s\n' "$step"
    else
        steps_failed=$((steps_failed + 1))
        printf 'FAIL  %s\n      $ kubectl %s\n' "$step" "${step_call[*]@Q}"
        sed 's/^/      /' "$scratch/faults"
        # shellcheck disable=SC2001  # every line
        [ -z "$out" ] || sed 's/^/      | /' <<<"$out"
    fi
    : >"$scratch/faults"
    step=''
}

# Runs kubectl; nothing is judged. A hanging one is ended, with exit code 124.
kubectl() { timeout 60 "$KUBECTL" "$@"; }

# Begins a step named $2 that must end with exit code $1; the rest is for kubectl, which reads our input.
step_begin() {
    local want=$1 code=0
    step_end
    step=$steps_about:\ $2
    shift 2
    step_call=("$@")
    out=$(kubectl "$@" 2>"$scratch/err") || code=$?
    err=$(cat "$scratch/err")
    [ "$code" -eq "$want" ] || fault "exit code $code, not $want"
}

ok() { step_begin 0 "$@" </dev/null; }
fails() { step_begin 1 "$@" </dev/null; }

# As ok, with the text $1 as kubectl's input.
ok_with() {
    local input=$1
    shift
    step_begin 0 "$@" <<<"$input"
}

# As fails, with the text $1 as kubectl's input.
fails_with() {
    local input=$1
    shift
    step_begin 1 "$@" <<<"$input"
}

# The whole output is this text.
prints() {
    [ "$out" = "$1" ] || fault "did not print: $1"
}

# A line of the output matches, or for says_not none does.
says() {
    grep -qE -e "$1" <<<"$out" || fault "no line matches: $1"
}
says_not() {
    ! grep -qE -e "$1" <<<"$out" || fault "a line matches: $1"
}

# A line of the error output matches; it counts as expected.
complains() {
    grep -qE -e "$1" <<<"$err" || fault "did not complain: $1"
    err=$(grep -vE -e "$1" <<<"$err" || true)
}

# Calls kubectl aside of any step, to see what a step has done, or to make room. Must work.
value() {
    local text
    text=$(kubectl "$@" 2>&1) || fault "aside: kubectl $*: $text"
    printf '%s' "$text"
}

# What the object of the following arguments has at the jsonpath $1 is the text $2.
holds() {
    local path=$1 want=$2 have
    shift 2
    have=$(value get "$@" -o "jsonpath=$path")
    [ "$have" = "$want" ] || fault "$* has at $path: $have"
}

# Nothing is found under the following arguments any more.
gone() {
    local have
    have=$(value get "$@" --ignore-not-found -o name)
    [ -z "$have" ] || fault "still there: $have"
}

# Whether this kubectl is of the version $1 or later, for what older ones lack.
since() { printf '%s\n%s\n' "$1" "$version" | sort -VC; }

# Begins a step named $1 that leaves kubectl running behind us, until watch_end. It keeps a log, so
# that one can tell when it is watching().
watch_begin() {
    step_end
    step=$steps_about:\ $1
    shift
    step_call=("$@")
    out='' err=''
    : >"$scratch/watch.out" # here, lest one finds what the last one said
    : >"$scratch/watch.err"
    timeout 60 "$KUBECTL" -v=6 "$@" </dev/null >"$scratch/watch.out" 2>"$scratch/watch.err" &
    watcher=$!
}

# A line that matches $1 is, or comes, into the file $2.
await() {
    local i
    for ((i = 0; i < 300; i++)); do
        ! grep -qE -e "$1" "$2" || return 0
        sleep 0.1
    done
    fault "no line matches in time: $1"
}
watched() { await "$1" "$scratch/watch.out"; }
watching() { await 'watch=true.*200 OK' "$scratch/watch.err"; }

# Ends it from outside, or with $1 waits for it to end by itself with this exit code.
watch_end() {
    local code=0
    [ $# -gt 0 ] || kill "$watcher"
    wait "$watcher" || code=$?
    [ $# -eq 0 ] || [ "$code" -eq "$1" ] || fault "exit code $code, not $1"
    out=$(cat "$scratch/watch.out")
    err=$(grep -vE '^I[0-9]{4} ' "$scratch/watch.err" || true) # less the log
}

# A kubeconfig for this server without credentials, $scratch/anonymous.
anonymous() { value config view --raw --minify | sed '/client-/d' >"$scratch/anonymous"; }

# A kind of our own, for those files that use it.
widgets() {
    value apply -f "$data/widgets.yaml" >/dev/null
    value wait --for=condition=Established --timeout=30s crd/widgets.test.corset.dev >/dev/null
}
