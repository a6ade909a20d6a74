# apply on the server's side: owners of fields, conflicts.
# shellcheck shell=bash disable=SC2154

widgets
map() { printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":%s}' "$1" "$2"; }
# What kubectl says below every conflict.
advised() {
    complains '^Please review the fields above--they currently have other managers\. Here$'
    err=$(sed '/^are the ways you can resolve this warning:$/,/^See http.*#conflicts$/d' <<<"$err")
}
owners() { holds '{.metadata.managedFields[*].manager}' "$@"; }

fails_with "$(map shared '{"a":"1"}')" 'diff of what is not there yet' diff --server-side -f -
says '^\+  a: "1"$'
ok_with "$(map shared '{"a":"1","b":"1"}')" 'creates' apply --server-side -f -
prints 'configmap/shared serverside-applied'
owners kubectl configmap shared
before=$(value get configmap shared -o 'jsonpath={.metadata.resourceVersion}')
ok_with "$(map shared '{"a":"1","b":"1"}')" 'again changes nothing' apply --server-side -f -
prints 'configmap/shared serverside-applied'
holds '{.metadata.resourceVersion}' "$before" configmap shared
ok_with "$(map shared '{"a":"1","b":"1"}')" 'no diff then' diff --server-side -f -
prints ''
fails_with "$(map shared '{"a":"2","b":"1"}')" 'diff of a change' diff --server-side -f -
says '^-  a: "1"$'
says '^\+  a: "2"$'
ok_with "$(map shared '{"a":"2"}')" 'changes and removes' apply --server-side -f -
holds '{.data}' '{"a":"2"}' configmap shared
fails_with "$(map shared '{"a":"3"}')" 'a conflict' apply --server-side --field-manager=other -f -
complains '^error: Apply failed with 1 conflict: conflict with "kubectl": \.data\.a$'
advised
holds '{.data.a}' 2 configmap shared
ok_with "$(map shared '{"a":"3"}')" 'a conflict, forced' apply --server-side --field-manager=other --force-conflicts -f -
holds '{.data.a}' 3 configmap shared
owners other configmap shared
ok_with "$(map shared '{"a":"3"}')" 'the same value is no conflict' apply --server-side -f -
owners 'kubectl other' configmap shared
ok_with "$(map shared '{"c":"1"}')" 'gives up what the other keeps' apply --server-side -f -
holds '{.data}' '{"a":"3","c":"1"}' configmap shared
ok_with "$(map dry '{"a":"1"}')" 'dry' apply --server-side --dry-run=server -f -
prints 'configmap/dry serverside-applied (server dry run)'
gone configmap dry

ok 'a deployment' apply --server-side -f "$data/deployment.yaml"
prints 'deployment.apps/web serverside-applied'
ok 'a deployment scaled by another' scale deployment web --replicas=5
prints 'deployment.apps/web scaled'
fails 'conflicts then' apply --server-side -f "$data/deployment.yaml"
complains '^error: Apply failed with 1 conflict: conflict with "kubectl.*" using apps/v1: \.spec\.replicas$|^error: Apply failed with 1 conflict: conflict with "kubectl.*" with subresource "scale" using apps/v1: \.spec\.replicas$'
advised
ok_with "$(grep -v replicas: "$data/deployment.yaml")" 'and not when it is left to the other' apply --server-side -f -
holds '{.spec.replicas}' 5 deployment web
ok 'a custom resource' apply --server-side -f "$data/widget.yaml"
prints 'widget.test.corset.dev/first serverside-applied'
ok_with "$(sed '/left/d' "$data/widget.yaml")" 'an element is removed by its key' apply --server-side -f -
holds '{.spec.parts[*].name}' right widget first
ok 'a definition' apply --server-side --force-conflicts -f "$data/widgets.yaml"
prints 'customresourcedefinition.apiextensions.k8s.io/widgets.test.corset.dev serverside-applied'
ok 'a list of kinds' apply --server-side -f "$data/mixed.yaml"
says '^secret/mixed serverside-applied$'
says '^service/mixed serverside-applied$'

ok_with "$(map moved '{"a":"1"}')" 'from the client side' apply -f -
ok_with "$(map moved '{"a":"2"}')" 'to the server side' apply --server-side -f -
holds '{.data.a}' 2 configmap moved
if since 1.26; then owners 'kubectl-last-applied kubectl' configmap moved; fi
if since 1.25; then
    fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"dta":{}}' 'an unknown field' apply --server-side -f -
    complains '^Error from server: failed to create typed patch object \(.*/bad; /v1, Kind=ConfigMap\): \.dta: field not declared in schema$'
fi
