# What writing the data of a release and taking it over share; program.bash is read before it.
# shellcheck shell=bash disable=SC2154  # program.bash

# What must not be written again: all objects of these resources, with their resourceVersions.
RESOURCES='/api/v1/configmaps /api/v1/secrets /api/v1/namespaces /api/v1/serviceaccounts
    /apis/cluster.x-k8s.io/v1beta2/clusters
    /apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesets
    /apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesetbindings
    /apis/corset.dev/v1alpha1/deliverypolicies'

# revisions: one line for each object, "PATH NAMESPACE/NAME RESOURCEVERSION".
revisions() {
    local resource
    for resource in $RESOURCES; do
        api GET "$resource" | python3 -c '
import json, sys
for item in json.load(sys.stdin)["items"]:
    meta = item["metadata"]
    print(sys.argv[1], meta.get("namespace", "") + "/" + meta["name"], meta["resourceVersion"])' "$resource"
    done
}

cluster=''
# cluster_start DIR: a workload cluster, an API server of its own.
cluster_start() {
    "$corset" apiserver --data-dir "$1" --listen 127.0.0.1:0 2>"$work/cluster.log" &
    cluster=$!
    await 30 grep -q 'corset: ready on' "$work/cluster.log"
}

cluster_stop() {
    [ -z "$cluster" ] || kill "$cluster" 2>/dev/null || true
    [ -z "$cluster" ] || wait "$cluster" 2>/dev/null || true
    cluster=''
}

finish_both() {
    cluster_stop
    finish
}
trap finish_both EXIT
