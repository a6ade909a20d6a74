# apply on the client's side: three-way merges by an annotation, and diff before it.
# shellcheck shell=bash disable=SC2154,SC2016

widgets
colored() { sed "s/color: red/color: $1/; s/example.server:1/example\\/server:$1/" "$data/$2"; }

fails 'diff of what is not there yet' diff -f "$data/configmaps.yaml"
says '^\+  color: red$'
says '^\+kind: ConfigMap$'
ok 'creates' apply -f "$data/configmaps.yaml"
prints $'configmap/one created\nconfigmap/two created\nconfigmap/three created'
holds '{.metadata.managedFields[*].manager}' kubectl-client-side-apply configmap one
ok 'again changes nothing' apply -f "$data/configmaps.yaml"
prints $'configmap/one unchanged\nconfigmap/two unchanged\nconfigmap/three unchanged'
ok 'no diff then' diff -f "$data/configmaps.yaml"
prints ''
step_begin 1 'diff of a change' diff -f - < <(colored violet configmaps.yaml)
says '^-  color: red$'
says '^\+  color: violet$'
holds '{.data.color}' red configmap one
ok_with "$(colored violet configmaps.yaml)" 'changes, dry' apply --dry-run=server -f -
says '^configmap/one configured \(server dry run\)$'
holds '{.data.color}' red configmap one
ok_with "$(colored violet configmaps.yaml)" 'changes' apply -f -
prints $'configmap/one configured\nconfigmap/two unchanged\nconfigmap/three unchanged'
holds '{.data.color}' violet configmap one
value patch configmap one -p '{"data":{"other":"mine"}}' >/dev/null
ok_with "$(grep -v order: "$data/configmaps.yaml")" 'removes what is no longer said, leaves what others said' apply -f -
says '^configmap/one configured$'
holds '{.data}' '{"color":"red","other":"mine"}' configmap one
ok 'shows what was applied last' apply view-last-applied configmap one -o json
says '"color": "red"'

ok 'a deployment' apply -f "$data/deployment.yaml"
prints 'deployment.apps/web created'
ok 'a deployment again' apply -f "$data/deployment.yaml"
prints 'deployment.apps/web unchanged'
ok 'no diff of a deployment' diff -f "$data/deployment.yaml"
prints ''
step_begin 1 'diff of a deployment' diff -f - < <(colored 2 deployment.yaml)
says '^-      - image: example/server:1$|^-        image: example/server:1$'
says '^\+      - image: example/server:2$|^\+        image: example/server:2$'
says '^-  generation: 1$'
ok_with "$(colored 2 deployment.yaml)" 'a changed deployment' apply -f -
prints 'deployment.apps/web configured'
holds '{.spec.template.spec.containers[*].image} {.metadata.generation}' 'example/server:2 2' deployment web
ok_with "$(sed '/env:/,$d' "$data/deployment.yaml")" 'a variable is dropped, by its merge key' apply -f -
prints 'deployment.apps/web configured'
holds '{.spec.template.spec.containers[0].env}{.spec.template.spec.containers[0].ports[0].containerPort}' 8080 deployment web

ok 'a custom resource' apply -f "$data/widget.yaml"
prints 'widget.test.corset.dev/first created'
ok 'a custom resource again' apply -f "$data/widget.yaml"
prints 'widget.test.corset.dev/first unchanged'
step_begin 1 'diff of a custom resource' diff -f - < <(colored blue widget.yaml)
says '^-  color: red$'
says '^\+  color: blue$'
ok_with "$(colored blue widget.yaml)" 'a changed custom resource' apply -f -
prints 'widget.test.corset.dev/first configured'
ok 'a definition again' apply -f "$data/widgets.yaml"
prints 'customresourcedefinition.apiextensions.k8s.io/widgets.test.corset.dev unchanged'
ok 'no diff of a definition' diff -f "$data/widgets.yaml"
prints ''
ok 'a list of kinds' apply -f "$data/mixed.yaml"
says '^service/mixed created$'
ok 'a list of kinds again' apply -f "$data/mixed.yaml"
says '^service/mixed unchanged$'
says '^lease.coordination.k8s.io/mixed unchanged$'
says '^serviceaccount/mixed unchanged$'

value create configmap plain --from-literal=a=1 >/dev/null
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"plain"},"data":{"a":"2"}}' 'onto what was created' apply -f -
complains 'resource configmaps/plain is missing the kubectl.kubernetes.io/last-applied-configuration annotation|kubectl apply should be used on resource created by'
prints 'configmap/plain configured'
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"forced"},"data":{"a":"1"},"immutable":true}' 'something immutable' apply -f -
prints 'configmap/forced created'
fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"forced"},"data":{"a":"2"},"immutable":true}' 'a change of something immutable' apply -f -
complains '^The ConfigMap "forced" is invalid: data: Forbidden: field is immutable when `immutable` is set$'
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"forced"},"data":{"a":"2"},"immutable":true}' 'by force' apply --force -f -
says '^configmap/forced configured$'
holds '{.data.a}' 2 configmap forced

ok 'what kustomize builds' apply -k "$data/kustomize"
says '^configmap/k-generated-[a-z0-9]+ created$'
says '^configmap/k-plain created$'
says '^secret/k-hidden created$'
if since 1.27; then complains "^# Warning: 'commonLabels' is deprecated"; fi
ok 'what kustomize builds, again' apply -k "$data/kustomize"
says '^configmap/k-plain unchanged$'
if since 1.27; then complains "^# Warning: 'commonLabels' is deprecated"; fi
ok 'gets and deletes by kustomize' delete -k "$data/kustomize"
says '^configmap "k-plain" deleted'
if since 1.27; then complains "^# Warning: 'commonLabels' is deprecated"; fi

both='{"apiVersion":"v1","kind":"List","items":[
    {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept","labels":{"pruned":"yes"}}},
    {"apiVersion":"v1","kind":"Secret","metadata":{"name":"dropped","labels":{"pruned":"yes"}}}]}'
one='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept","labels":{"pruned":"yes"}}}'
ok_with "$both" 'two, of which one will be pruned' apply -f -
# By default an old kubectl asks for kinds in versions that are no more, and a new one for Endpoints.
prune=(--prune -l 'pruned=yes')
if since 1.26; then
    expect_prune_warnings() {
        complains '^W.* Deprecated: kubectl apply will no longer prune non-namespaced resources by default'
        complains '^Warning: v1 Endpoints is deprecated in v1.33\+; use discovery.k8s.io/v1 EndpointSlice$'
    }
    listed=--prune-allowlist
else
    expect_prune_warnings() { :; }
    listed=--prune-whitelist
    prune+=("$listed=core/v1/ConfigMap" "$listed=core/v1/Secret")
fi
ok_with "$one" 'prunes, dry' apply "${prune[@]}" --dry-run=server -f -
expect_prune_warnings
says '^secret/dropped pruned \(server dry run\)$'
holds '{.metadata.name}' dropped secret dropped
ok_with "$one" 'prunes' apply "${prune[@]}" -n "$namespace" -f -
expect_prune_warnings
says '^configmap/kept unchanged$'
says '^secret/dropped pruned$'
gone secret dropped
holds '{.metadata.name}' kept configmap kept
ok_with "$both" 'the other again' apply -f -
ok_with "$one" 'prunes only listed kinds' apply --prune -l pruned=yes "$listed=core/v1/ConfigMap" -f -
says '^configmap/kept unchanged$'
says_not 'pruned$'
holds '{.metadata.name}' dropped secret dropped
