#!/bin/sh
# Plain kubectl through the kubeconfig of a virtual cluster: kubectl.sh CORSET FOLDER
#
# The kubectls of the folder are used, which tools/kubectl has fetched, or else the one in PATH.
# CORSET_KUBECTLS names others, with ":" between. Exit code 77: there is none.
set -eu

corset=$1
kubectls=${CORSET_KUBECTLS:-$(find "$2" -name 'kubectl-*' -perm -u+x 2>/dev/null | paste -sd: || true)}
kubectls=${kubectls:-$(command -v kubectl || true)}
[ -n "$kubectls" ] || exit 77

dir=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' INT TERM

fail() {
    echo "kubectl.sh: $*" >&2
    cat "$dir/server.log" >&2
    exit 1
}

"$corset" apiserver --data-dir "$dir/data" --listen 127.0.0.1:0 --virtual-clusters 2 \
    --write-cluster-kubeconfigs "$dir/more" 2>"$dir/server.log" &
server=$!
tries=0
until grep -q ready "$dir/server.log"; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "the server does not start"
    sleep 0.1
done

one() { "$kubectl" --cache-dir "$dir/cache" --kubeconfig "$dir/data/clusters/vc-0001.kubeconfig" "$@"; }
two() { "$kubectl" --cache-dir "$dir/cache" --kubeconfig "$dir/more/vc-0002.kubeconfig" "$@"; }
main() { "$kubectl" --cache-dir "$dir/cache" --kubeconfig "$dir/data/kubeconfig" "$@"; }

# equal WHAT SEEN EXPECTED
equal() {
    [ "$2" = "$3" ] || fail "$kubectl: $1: '$2' instead of '$3'"
}

cat >"$dir/set.yaml" <<'EOF'
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {where: one}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
EOF
cat >"$dir/widgets.yaml" <<'EOF'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
EOF
cat >"$dir/widget.yaml" <<'EOF'
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {size: 3}
EOF

walk() {
    rm -rf "$dir/cache"
    equal "namespaces" "$(one get namespaces -o name | grep -c default)" 1
    one apply -f "$dir/set.yaml" >"$dir/out"
    equal "apply" "$(grep -c created "$dir/out")" 2
    one apply -f "$dir/set.yaml" >"$dir/out"
    equal "apply again" "$(grep -c unchanged "$dir/out")" 2
    one apply --server-side --force-conflicts -f "$dir/set.yaml" >"$dir/out"
    equal "apply on the server" "$(grep -c serverside-applied "$dir/out")" 2
    one diff -f "$dir/set.yaml" >"$dir/out" || fail "$kubectl: diff sees a difference"
    sed 's/where: one/where: two/' "$dir/set.yaml" >"$dir/changed.yaml"
    one diff -f "$dir/changed.yaml" >"$dir/out" && fail "$kubectl: diff sees no difference"
    equal "diff" "$(grep -c '^+  where: two' "$dir/out")" 1
    one create configmap b --from-literal=x=y >/dev/null
    one create -f "$dir/widgets.yaml" >/dev/null
    one wait --for=condition=Established crd/widgets.example.com >/dev/null
    rm -rf "$dir/cache"
    one create -f "$dir/widget.yaml" >/dev/null
    equal "custom resource" "$(one get widgets w -o 'jsonpath={.spec.size}')" 3
    equal "its discovery" "$(one api-resources --api-group=example.com -o name)" widgets.example.com

    equal "another cluster" "$(two get configmap,deployment -o name | grep -v kube-root-ca || true)" ""
    equal "discovery there" "$(two api-resources --api-group=example.com -o name)" ""
    equal "the main API" "$(main get configmap a b -o name --ignore-not-found)" ""
    two create configmap a --from-literal=where=two >/dev/null
    equal "a name of one's own" "$(one get configmap a -o 'jsonpath={.data.where}')" one

    one delete -f "$dir/set.yaml" --wait >/dev/null
    one delete configmap b >/dev/null
    one delete -f "$dir/widgets.yaml" --wait >/dev/null
    two delete configmap a >/dev/null
    echo "$kubectl: good"
}

IFS=:
for kubectl in $kubectls; do
    unset IFS
    walk
done
kill "$server"
wait "$server" || fail "the server did not end well"
server=
