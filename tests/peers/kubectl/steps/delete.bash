# delete, and what goes with it: finalizers, dependents, namespaces, definitions.
# shellcheck shell=bash disable=SC2154

widgets
map() { value create configmap "$@" >/dev/null; }
# Two config maps of which the second belongs to the first, and holds up its deletion.
family() {
    map "$1-owner"
    value create -f - >/dev/null <<TEXT
apiVersion: v1
kind: ConfigMap
metadata:
  name: $1-child
  ownerReferences:
  - apiVersion: v1
    kind: ConfigMap
    name: $1-owner
    uid: $(value get configmap "$1-owner" -o 'jsonpath={.metadata.uid}')
    blockOwnerDeletion: true
TEXT
}
# Nothing is found any more, before long.
soon_gone() {
    local i
    for ((i = 0; i < 50; i++)); do
        [ -n "$(value get "$@" --ignore-not-found -o name)" ] || return 0
        sleep 0.1
    done
    gone "$@"
}
deleted() { says "^$1 deleted( from $namespace namespace)?\$"; }

map plain
ok 'one' delete configmap plain
deleted 'configmap "plain"'
gone configmap plain
fails 'what is not there' delete configmap plain
complains '^Error from server \(NotFound\): configmaps "plain" not found$'
ok 'what is not there, no matter' delete configmap plain --ignore-not-found
prints ''
map dry
ok 'dry' delete configmap dry --dry-run=server
says '^configmap "dry" deleted .*\(server dry run\)$|^configmap "dry" deleted \(server dry run\)'
holds '{.metadata.name}' dry configmap dry
ok 'as a name' delete configmap dry -o name
prints 'configmap/dry'
map several-1
map several-2
ok 'several' delete configmap/several-1 configmap/several-2
deleted 'configmap "several-1"'
deleted 'configmap "several-2"'
value create -f "$data/configmaps.yaml" >/dev/null
ok 'by label' delete configmap -l app=demo
deleted 'configmap "one"'
deleted 'configmap "two"'
says_not three
ok 'by field' delete configmap --field-selector metadata.name=three
deleted 'configmap "three"'
ok 'by label, and nothing is' delete configmap -l app=demo
prints 'No resources found'
value create -f "$data/configmaps.yaml" >/dev/null
ok 'by file' delete -f "$data/configmaps.yaml"
deleted 'configmap "one"'
deleted 'configmap "three"'
value create secret generic a >/dev/null
value create secret generic b >/dev/null
ok 'all of a kind' delete secrets --all
deleted 'secret "a"'
deleted 'secret "b"'
gone secrets
map now
ok 'now' delete configmap now --now
deleted 'configmap "now"'
map forced
ok 'by force' delete configmap forced --force --grace-period=0
complains '^[Ww]arning: Immediate deletion does not wait for confirmation that the running resource has been terminated\. The resource may continue to run on the cluster indefinitely\.$'
says '^configmap "forced" force deleted'

map held
value patch configmap held -p '{"metadata":{"finalizers":["test.corset.dev/held"]}}' >/dev/null
ok 'held by a finalizer, without waiting' delete configmap held --wait=false
deleted 'configmap "held"'
holds '{.metadata.finalizers[0]}' test.corset.dev/held configmap held
[ -n "$(value get configmap held -o 'jsonpath={.metadata.deletionTimestamp}')" ] || fault 'it is not being deleted'
fails 'held by a finalizer, and no longer waited for' delete configmap held --timeout=2s
deleted 'configmap "held"'
complains '^error: timed out waiting for the condition on configmaps/held$'
watch_begin 'held by a finalizer, waited for' delete configmap held
watched '^configmap "held" deleted'
sleep 0.5
kill -0 "$watcher" 2>/dev/null || fault 'it did not wait'
value patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
watch_end 0
gone configmap held

family background
ok 'dependents in the background' delete configmap background-owner --cascade=background
deleted 'configmap "background-owner"'
soon_gone configmap background-child
family foreground
if since 1.20; then
    ok 'dependents first' delete configmap foreground-owner --cascade=foreground
    deleted 'configmap "foreground-owner"'
    gone configmap foreground-child
    gone configmap foreground-owner
fi
family orphan
ok 'dependents stay' delete configmap orphan-owner --cascade=orphan
deleted 'configmap "orphan-owner"'
gone configmap orphan-owner
sleep 0.5
holds '{.metadata.name}{.metadata.ownerReferences}' orphan-child configmap orphan-child
family widow
value patch configmap widow-child -p '{"metadata":{"finalizers":["test.corset.dev/held"]}}' >/dev/null
watch_begin 'dependents first, one of which is held' delete configmap widow-owner --cascade=foreground
watched '^configmap "widow-owner" deleted'
sleep 0.5
holds '{.metadata.finalizers[0]}' foregroundDeletion configmap widow-owner
value patch configmap widow-child --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
watch_end 0
gone configmap widow-owner

value create namespace delete-me >/dev/null
value create configmap inside -n delete-me >/dev/null
value create -f "$data/widget.yaml" -n delete-me >/dev/null
ok 'a namespace' delete namespace delete-me
says '^namespace "delete-me" deleted'
gone namespace delete-me
fails 'nothing is left in it' get configmap inside -n delete-me
complains 'not found$'
value create -f "$data/widget.yaml" >/dev/null
ok 'a custom resource' delete widget first
deleted 'widget.test.corset.dev "first"'
sed 's/widgets/gadgets/g; s/widget/gadget/g; s/Widget/Gadget/g; s/\[wd\]/[gd]/' "$data/widgets.yaml" >"$scratch/gadgets.yaml"
sed 's/Widget/Gadget/' "$data/widget.yaml" >"$scratch/gadget.yaml"
value create -f "$scratch/gadgets.yaml" >/dev/null
value wait --for=condition=Established --timeout=30s crd/gadgets.test.corset.dev >/dev/null
value create -f "$scratch/gadget.yaml" >/dev/null
ok 'a definition, and what it defined' delete crd gadgets.test.corset.dev
says '^customresourcedefinition.apiextensions.k8s.io "gadgets.test.corset.dev" deleted'
gone crd gadgets.test.corset.dev
fails 'it is not known any more' get gadgets
complains "^error: the server doesn't have a resource type \"gadgets\"\$|^Error from server \\(NotFound\\): Unable to list \"test.corset.dev/v1, Resource=gadgets\""
map raw
ok 'raw' delete --raw "/api/v1/namespaces/$namespace/configmaps/raw"
says '"status": *"Success"'
