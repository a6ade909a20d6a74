# What the tests of the program share: corset run and judged, API servers that go away with the test.
#
#     try 'a second one is refused' 3 up --data-dir "$work/data"     runs corset, checks the exit code
#     err_has 'is in use by process'                                 and what it said
#
#     up_start "$work/data" --virtual-clusters 2                     corset up in the background
#     api GET /api/v1/namespaces                                     asked as its admin, with curl
#     up_stop                                                        SIGTERM; it must end well and soon
#
# shellcheck shell=bash disable=SC2034  # what the tests use

corset=$1
work=$(mktemp -d)
: >"$work/in"
cases=0
up=''
up_log=$work/up.log

fail() {
    echo "FAILED: $1" >&2
    for file in out err up.log; do
        [ ! -f "$work/$file" ] || tail -n 20 "$work/$file" | cut -c 1-300 | sed "s/^/  $file: /" >&2
    done
    exit 1
}

finish() {
    [ -z "$up" ] || kill -9 "$up" 2>/dev/null || true
    [ -z "$up" ] || wait "$up" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

# try NAME CODE ARGUMENTS...: runs corset with standard input from $work/in and checks the exit code.
try() {
    local name=$1 code=$2 seen=0
    shift 2
    timeout 60 "$corset" "$@" <"$work/in" >"$work/out" 2>"$work/err" || seen=$?
    [ "$seen" = "$code" ] || fail "$name: exit code $seen instead of $code"
    cases=$((cases + 1))
}

out_has() { grep -qF -- "$1" "$work/out" || fail "standard output lacks: $1"; }
out_like() { grep -qE -- "$1" "$work/out" || fail "no line of standard output matches: $1"; }
out_lacks() { ! grep -qF -- "$1" "$work/out" || fail "standard output has: $1"; }
err_has() { grep -qF -- "$1" "$work/err" || fail "standard error lacks: $1"; }
is_quiet() { [ ! -s "$work/$1" ] || fail "something on $1"; }

# One sentence: one line that begins with our name.
err_is_a_sentence() {
    [ "$(wc -l <"$work/err")" = 1 ] || fail 'not one line'
    grep -q '^corset: ' "$work/err" || fail 'does not say who speaks'
}

# await SECONDS COMMAND...: until it succeeds.
await() {
    local until=$((SECONDS + $1))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || fail "in vain: $*"
        sleep 0.05
    done
}

# up_start DIR FLAGS...
up_start() {
    up_dir=$1
    shift
    : >"$up_log"
    "$corset" up --data-dir "$up_dir" --listen 127.0.0.1:0 "$@" 2>"$up_log" &
    up=$!
    local tries=600
    until grep -q 'corset: ready on' "$up_log"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail 'up does not come up'
        kill -0 "$up" 2>/dev/null || fail 'up has ended'
        sleep 0.05
    done
    api_use "$up_dir/kubeconfig"
}

up_kill() {
    kill -9 "$up"
    wait "$up" 2>/dev/null || true
    up=''
}

up_stop() {
    local began=$SECONDS code=0
    kill "$up"
    wait "$up" || code=$?
    up=''
    [ "$code" = 0 ] || fail "up: exit code $code after SIGTERM"
    [ $((SECONDS - began)) -lt 10 ] || fail 'up: takes longer than ten seconds to stop'
}

# api_use KUBECONFIG: whom to ask from now on.
api_use() {
    api_url=$(sed -n 's/^ *server: "\(.*\)"/\1/p' "$1")
    api_token=$(sed -n 's/^ *token: "\(.*\)"/\1/p' "$1")
    rm -rf "$work/tls"
    mkdir "$work/tls"
    local part
    for part in certificate-authority client-certificate client-key; do
        sed -n "s/^ *$part-data: //p" "$1" | base64 -d >"$work/tls/$part"
    done
}

# api METHOD PATH [BODY]: prints the answer; fails unless it is a success.
api() {
    local how=(-sS --fail-with-body -A program-test --cacert "$work/tls/certificate-authority" -X "$1")
    if [ -n "$api_token" ]; then
        how+=(-H "Authorization: Bearer $api_token")
    else
        how+=(--cert "$work/tls/client-certificate" --key "$work/tls/client-key")
    fi
    [ $# -lt 3 ] || how+=(-H 'Content-Type: application/yaml' --data-binary "$3")
    curl "${how[@]}" "$api_url$2"
}

SETS=/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesets
BINDINGS=/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesetbindings
CLUSTERS=/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters
MAPS=/api/v1/namespaces/default/configmaps

# config_map NAME TEXT: a ConfigMap with a manifest in it.
config_map() {
    api POST "$MAPS" "{apiVersion: v1, kind: ConfigMap, metadata: {name: $1}, data: {a: '$2'}}" >/dev/null
}

# resource_set NAME SELECTOR RESOURCE...: "ConfigMap/a", or "Secret/b".
resource_set() {
    local name=$1 selector=$2 resources='' resource
    shift 2
    for resource in "$@"; do
        resources="$resources{kind: ${resource%/*}, name: ${resource#*/}},"
    done
    api POST "$SETS" "{apiVersion: addons.cluster.x-k8s.io/v1beta2, kind: ClusterResourceSet,
        metadata: {name: $name}, spec: {clusterSelector: {matchLabels: {$selector}}, resources: [$resources]}}" >/dev/null
}

# applied SET: its ResourcesApplied is true.
applied() {
    api GET "$SETS/$1" | grep -qF '"type":"ResourcesApplied","status":"True"'
}
