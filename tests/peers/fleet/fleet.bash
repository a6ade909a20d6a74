# What the scripts of this folder share: `corset up --fleet` with two virtual clusters, and a kubeconfig for one of them as
# `corset cluster kubeconfig` prints it, which is that of the environment.
#
#     fleet_start                        $through is the kubeconfig, of vc-0002
#     client 'a list' list               runs $program, which must end with 0; its output is $work/out
#
# shellcheck shell=bash disable=SC1091,SC2034,SC2154  # program.bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
. "$root/tests/product/program/program.bash"

# Nothing of the caller's matters.
for variable in $(compgen -e | grep -iE '^(KUBE|HELM|K9S|XDG|http_proxy|https_proxy|all_proxy|no_proxy|VISUAL|EDITOR|LANG|LC_)'); do
    unset "$variable"
done
export HOME=$work TMPDIR=$work LC_ALL=C.UTF-8

both_answer() {
    "$corset" get namespaces --count | grep -qx '2 of 2 clusters answered'
}

fleet_start() {
    up_start "$work/data" --fleet --virtual-clusters 2
    export KUBECONFIG=$work/data/kubeconfig
    await 60 both_answer
    try 'a kubeconfig' 0 cluster kubeconfig vc-0002
    through=$work/through
    cp "$work/out" "$through"
    export KUBECONFIG=$through
}

client() {
    local name=$1 seen=0
    shift
    timeout 60 "$program" "$@" <"$work/in" >"$work/out" 2>"$work/err" || seen=$?
    [ "$seen" = 0 ] || fail "$name: exit code $seen"
    cases=$((cases + 1))
}

# What the other cluster has: nothing of what was done.
other_is_untouched() {
    local kind
    for kind in configmaps secrets; do
        try "$kind of the other cluster" 0 --kubeconfig "$work/data/kubeconfig" get "$kind" -n default --cluster default/vc-0001 -o name
        is_quiet out
    done
}
