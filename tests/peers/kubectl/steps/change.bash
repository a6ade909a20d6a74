# Changes of single objects: edit, patch, label, annotate, scale, replace, set.
# shellcheck shell=bash disable=SC2154

widgets
value create -f "$data/configmaps.yaml" -f "$data/widget.yaml" -f "$data/deployment.yaml" >/dev/null

export KUBE_EDITOR='sed -i s/red/violet/'
ok 'edit' edit configmap one
prints 'configmap/one edited'
holds '{.data.color} {.metadata.managedFields[*].manager}' 'violet kubectl-create kubectl-edit' configmap one
ok 'edit without a change' edit configmap one
complains '^Edit cancelled, no changes made\.$'
prints ''
ok 'edit in json' edit configmap one -o json
complains '^Edit cancelled, no changes made\.$'
prints ''
KUBE_EDITOR='sed -i s,server:1,server:2,'
ok 'edit a deployment' edit deployment web
prints 'deployment.apps/web edited'
holds '{.spec.template.spec.containers[0].image}' example/server:2 deployment web
KUBE_EDITOR='sed -i s/color:.*/color:\ blue/'
ok 'edit a custom resource' edit widget first
prints 'widget.test.corset.dev/first edited'
holds '{.spec.color}' blue widget first
ok 'edit several' edit configmap one two three
prints $'configmap/one edited\nconfigmap/two edited\nconfigmap/three skipped'
# It opens the editor again with the server's words, which then changes nothing and gives up.
KUBE_EDITOR='sed -i s/color:.*/color:\ pink/'
fails 'edit to what is refused' edit widget first
complains '^error: widgets.test.corset.dev "first" is invalid$'
complains '^A copy of your changes has been stored to '
complains '^error: Edit cancelled, no valid changes were saved\.$'
holds '{.spec.color}' blue widget first
if since 1.24; then
    printf 'status:\n  phase: Ready\n' >"$scratch/status"
    KUBE_EDITOR="sed -i -e '\$r $scratch/status'"
    ok 'edit a status' edit widget first --subresource=status
    prints 'widget.test.corset.dev/first edited'
    holds '{.status.phase}' Ready widget first
fi
unset KUBE_EDITOR

ok 'patch, strategic' patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example/side"}]}}}}'
prints 'deployment.apps/web patched'
holds '{.spec.template.spec.containers[*].name}' 'side server' deployment web
ok 'patch, merge' patch deployment web --type=merge -p '{"metadata":{"labels":{"app":null,"new":"yes"}}}'
prints 'deployment.apps/web patched'
holds '{.metadata.labels}' '{"new":"yes"}' deployment web
ok 'patch, json' patch configmap two --type=json -p '[{"op":"replace","path":"/data/color","value":"white"},{"op":"remove","path":"/data/order"}]'
prints 'configmap/two patched'
holds '{.data}' '{"color":"white"}' configmap two
ok 'patch without a change' patch configmap two --type=merge -p '{"data":{"color":"white"}}'
prints 'configmap/two patched (no change)'
ok 'patch, dry' patch configmap two --dry-run=server -p '{"data":{"color":"black"}}'
prints 'configmap/two patched'
holds '{.data.color}' white configmap two
ok 'patch a custom resource' patch widget first --type=merge -p '{"spec":{"note":"patched"}}' -o 'jsonpath={.spec.note}'
prints patched
fails 'patch a custom resource, strategic' patch widget first -p '{"spec":{"note":"x"}}'
complains '^(Error from server \(UnsupportedMediaType\)|error: application/strategic-merge-patch\+json is not supported by test.corset.dev/v1, Kind=Widget): the body of the request was in an unknown format - accepted media types include: application/json-patch\+json, application/merge-patch\+json, application/apply-patch\+yaml'
fails 'patch to what is refused' patch widget first --type=merge -p '{"spec":{"replicas":-1}}'
complains '^The Widget "first" is invalid: $'
complains '^\* spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0$'
complains '^\* \.spec.replicas: Invalid value: -1: should be a non-negative integer$'
fails 'patch, json, of what is not there' patch configmap two --type=json -p '[{"op":"remove","path":"/data/none"}]'
complains '^The request is invalid(: the server rejected our request due to an error in our request)?$'
fails 'patch by a test that fails' patch configmap two --type=json -p '[{"op":"test","path":"/data/color","value":"x"}]'
complains '^The request is invalid(: the server rejected our request due to an error in our request)?$'
if since 1.24; then
    ok 'patch a status' patch widget first --subresource=status --type=merge -p '{"status":{"phase":"Done"}}'
    prints 'widget.test.corset.dev/first patched'
    holds '{.status.phase}' Done widget first
fi

ok 'label' label configmap two level=middle extra=1
prints 'configmap/two labeled'
fails 'label that is taken' label configmap two level=low
complains "^error: 'level' already has a value \\(middle\\), and --overwrite is false\$"
ok 'label, over it' label configmap two level=low --overwrite
prints 'configmap/two labeled'
ok 'label without a change' label configmap two level=low --overwrite
prints 'configmap/two not labeled'
ok 'label removed' label configmap two extra- level-
says '^configmap/two (un)?labeled$'
holds '{.metadata.labels}' '{"app":"demo","tier":"back"}' configmap two
ok 'label all that match' label configmap -l app=demo marked=yes
prints $'configmap/one labeled\nconfigmap/two labeled'
ok 'label a namespace' label namespace "$namespace" team=us
prints "namespace/$namespace labeled"
ok 'label a custom resource' label widget --all on=yes
prints 'widget.test.corset.dev/first labeled'
ok 'labels listed' label configmap two --list
says '^marked=yes$'
fails 'label of a bad value' label configmap two 'tier=a b'
complains "^error: invalid label value: \"tier=a b\""
ok 'annotate' annotate configmap two note='a long text' other=1
says '^configmap/two annotated$'
holds '{.metadata.annotations.note}' 'a long text' configmap two
ok 'annotate removed' annotate configmap two other-
says '^configmap/two annotated$'
fails 'annotate at an old version' annotate configmap two note=x --overwrite --resource-version=1
complains '^(error|Error from server \(Conflict\)): Operation cannot be fulfilled on configmaps "two": the object has been modified; please apply your changes to the latest version and try again$'

ok 'scale' scale deployment web --replicas=4
prints 'deployment.apps/web scaled'
holds '{.spec.replicas}' 4 deployment web
ok 'scale from what there is' scale deployment web --current-replicas=4 --replicas=1
prints 'deployment.apps/web scaled'
fails 'scale from what there is not' scale deployment web --current-replicas=4 --replicas=2
complains '[Ee]xpected replicas to be 4, was 1$'
ok 'scale a custom resource' scale widget first --replicas=7
prints 'widget.test.corset.dev/first scaled'
holds '{.spec.replicas}' 7 widget first
ok 'scale by file' scale -f "$data/widget.yaml" --replicas=2
prints 'widget.test.corset.dev/first scaled'
fails 'scale of what has none' scale configmap two --replicas=2
complains '^Error from server \(NotFound\): the server could not find the requested resource$'
fails 'scale to what is refused' scale deployment web --replicas=-1
complains '^error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0'

ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"},"data":{"new":"1"}}' 'replace' replace -f -
prints 'configmap/two replaced'
holds '{.data}{.metadata.labels}' '{"new":"1"}' configmap two
uid=$(value get configmap two -o 'jsonpath={.metadata.uid}')
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"},"data":{"new":"2"}}' 'replace, forced' replace --force -f -
says '^configmap "two" deleted'
says '^configmap/two replaced$'
[ "$(value get configmap two -o 'jsonpath={.metadata.uid}')" != "$uid" ] || fault 'it is the same object'
ok_with "$(value get widget first -o yaml | sed 's/note:.*/note: replaced/')" 'replace what was read' replace -f -
prints 'widget.test.corset.dev/first replaced'
holds '{.spec.note}' replaced widget first
fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"none"}}' 'replace what is not there' replace -f -
complains '^Error from server \(NotFound\): error when replacing "STDIN": configmaps "none" not found$'
fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two","resourceVersion":"1"}}' 'replace an old version' replace -f -
complains '^Error from server \(Conflict\): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "two": the object has been modified; please apply your changes to the latest version and try again$'
ok 'set image' set image deployment/web server=example/server:9
prints 'deployment.apps/web image updated'
ok 'set env' set env deployment/web --containers=server MODE=fancy
prints 'deployment.apps/web env updated'
holds '{.spec.template.spec.containers[?(@.name=="server")].env[*].value}' fancy deployment web
ok 'rollout restart' rollout restart deployment web
prints 'deployment.apps/web restarted'
