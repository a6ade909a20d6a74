# What kubectl reads of the published schemas. An old kubectl explains by the document in protobuf, which has none.
# shellcheck shell=bash disable=SC2154

ok 'a definition of somebody else' apply -f "$data/widgets.yaml"
says '^customresourcedefinition.apiextensions.k8s.io/widgets.test.corset.dev (created|unchanged|configured)$'

if since 1.27; then
    ok 'a pod' explain pod
    says '^KIND: +Pod$'
    says '^  spec	<PodSpec>$'
    ok 'three levels below' explain pod.spec.containers.ports
    says '^FIELD: ports <\[\]ContainerPort>$'
    says '^  containerPort	<integer> -required-$'
    ok 'a deployment, which is in a group' explain deployment.spec.template.spec
    says '^GROUP: +apps$'
    says '^  containers	<\[\]Container> -required-$'
    ok 'all of it' explain deployment --recursive
    says '^ +matchLabels	<map\[string\]string>$'
    says '^ +maxSurge	<IntOrString>$'
    ok 'a set' explain clusterresourceset.spec.resources
    says '^GROUP: +addons.cluster.x-k8s.io$'
    says '^  kind	<string> -required-$'
    ok 'a set in the older version' explain clusterresourceset --api-version addons.cluster.x-k8s.io/v1beta1
    says '^VERSION: +v1beta1$'
    ok 'somebody else'\''s kind' explain widget.spec.parts.size
    says '^FIELD: size <integer>$'
    ok 'its metadata' explain widget.metadata.ownerReferences
    says '^  uid	<string> -required-$'
    fails 'a field that is not there' explain widget.spec.parts.weight
    complains 'field "weight" does not exist'
fi

ok_with '{"apiVersion":"test.corset.dev/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"color":"red"}}' \
    'a dry run on the client' create --dry-run=client -o name -f -
prints 'widget.test.corset.dev/one'

# What kubectl makes of the merge keys that are published: it touches no container of others. New elements stand first.
deployment() {
    printf '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[%s]}}}}' "$1"
}
ok_with "$(deployment '{"name":"one","image":"a"},{"name":"two","image":"b","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}')" \
    'apply a deployment' apply -f -
ok 'somebody adds a container' patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"three","image":"c"}]}}}}'
ok_with "$(deployment '{"name":"two","image":"b2","env":[{"name":"B","value":"2"}]}')" \
    'apply it without a container and a variable' apply -f -
says '^deployment.apps/web configured$'
holds '{.spec.template.spec.containers[*].name}' 'three two' deployment web
holds '{.spec.template.spec.containers[?(@.name=="two")].env[*].name}' B deployment web
holds '{.spec.template.spec.containers[?(@.name=="two")].image}' b2 deployment web
