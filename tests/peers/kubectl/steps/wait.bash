# wait, for what is so already and for what becomes so.
# shellcheck shell=bash disable=SC2154

widgets
value create -f "$data/widget.yaml" -f "$data/configmaps.yaml" >/dev/null
status() {
    local object
    object=$(value get widget first -o json)
    object=${object%\}}
    printf '%s,"status":%s}' "$object" "$1" >"$scratch/status.json"
    value replace --raw "/apis/test.corset.dev/v1/namespaces/$namespace/widgets/first/status" -f "$scratch/status.json" >/dev/null
}

ok 'for a condition that is met' wait --for=condition=Established --timeout=10s crd/widgets.test.corset.dev
prints 'customresourcedefinition.apiextensions.k8s.io/widgets.test.corset.dev condition met'
fails 'for a condition that is not' wait --for=condition=Ready --timeout=2s widget/first
complains '^error: timed out waiting for the condition on widgets/first$'
watch_begin 'for a condition that comes' wait --for=condition=Ready --timeout=30s widget/first
watching
status '{"conditions":[{"type":"Ready","status":"False"}]}'
sleep 0.3
kill -0 "$watcher" 2>/dev/null || fault 'it did not wait'
status '{"conditions":[{"type":"Ready","status":"True"}]}'
watch_end 0
says '^widget.test.corset.dev/first condition met$'
ok 'for another value' wait --for=condition=Ready=True --timeout=10s widget -l app=demo
prints 'widget.test.corset.dev/first condition met'
if since 1.23; then
    ok 'for a jsonpath that is so' wait '--for=jsonpath={.spec.color}=red' --timeout=10s widget/first
    prints 'widget.test.corset.dev/first condition met'
    watch_begin 'for a jsonpath that comes' wait '--for=jsonpath={.status.phase}=Done' --timeout=30s widget/first
    watching
    status '{"phase":"Done"}'
    watch_end 0
    says '^widget.test.corset.dev/first condition met$'
fi
if since 1.31; then
    ok 'for creation, which was' wait --for=create --timeout=10s configmap/one
    prints 'configmap/one condition met'
    watch_begin 'for creation' wait --for=create --timeout=30s configmap/new
    sleep 0.5
    value create configmap new >/dev/null
    watch_end 0
    says '^configmap/new condition met$'
fi
watch_begin 'for deletion' wait --for=delete --timeout=30s configmap/one
watching
value delete configmap one >/dev/null
watch_end 0
prints 'configmap/one condition met'
fails 'for deletion that does not come' wait --for=delete --timeout=2s configmap/three
complains '^error: timed out waiting for the condition on configmaps/three$'
if since 1.21; then
    ok 'for deletion of what is not there' wait --for=delete --timeout=10s configmap/one
    prints ''
fi
fails 'for what is not there' wait --for=condition=Ready --timeout=2s widget/none
complains '^Error from server \(NotFound\): widgets.test.corset.dev "none" not found$'
