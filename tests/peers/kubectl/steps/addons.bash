# ClusterResourceSets, their bindings and Clusters, which every server of ours has from the start.
# shellcheck shell=bash disable=SC2154

applied='{"type":"ResourcesApplied","status":"True","reason":"Applied","message":"","lastTransitionTime":"2024-01-02T03:04:05Z"}'
paused='{"type":"Paused","status":"False","reason":"NotPaused","message":"","lastTransitionTime":"2024-01-02T03:04:05Z"}'

ok 'sets can be applied at once' apply -f "$data/sets.yaml"
says '^clusterresourceset.addons.cluster.x-k8s.io/cni created$'
holds '{.spec.strategy}' ApplyOnce clusterresourceset cni
ok 'and again' apply -f "$data/sets.yaml"
says '^clusterresourceset.addons.cluster.x-k8s.io/cni unchanged$'
value get --raw "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/$namespace/clusterresourcesets/cni" |
    sed "s|\$||; s|\"spec\":|\"status\":{\"conditions\":[$applied,$paused]},\"spec\":|" >"$scratch/cni.json"
ok 'with a status' replace --raw "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/$namespace/clusterresourcesets/cni/status" -f "$scratch/cni.json"

ok 'the columns of a set' get clusterresourcesets
says '^NAME +APPLIED +AGE$'
says '^cni +True +[0-9ms]+$'
ok 'and more of them when wide' get clusterresourcesets -o wide
says '^NAME +APPLIED +PAUSED +AGE$'
says '^cni +True +False +[0-9ms]+$'
ok 'of a binding' get clusterresourcesetbindings
says '^NAME +CLUSTER +AGE$'
says '^edge +edge +[0-9ms]+$'
ok 'of a cluster' get cl
says '^NAME +CLUSTERCLASS +AVAILABLE +PHASE +AGE +VERSION$'
says '^edge +small +[0-9ms]+ +v1.36.0$'
ok 'all of them' get cluster-api -o name
says '^clusterresourceset.addons.cluster.x-k8s.io/cni$'
says '^clusterresourcesetbinding.addons.cluster.x-k8s.io/edge$'
says '^cluster.cluster.x-k8s.io/edge$'

ok 'the older version, with a warning' get clusterresourcesets.v1beta1.addons.cluster.x-k8s.io cni -o 'jsonpath={.apiVersion} {.status.v1beta2.conditions[0].status}'
prints 'addons.cluster.x-k8s.io/v1beta1 True'
complains 'addons.cluster.x-k8s.io/v1beta1 ClusterResourceSet is deprecated; use addons.cluster.x-k8s.io/v1beta2 ClusterResourceSet'
fails 'a strategy stays' patch clusterresourceset cni --type merge -p '{"spec":{"strategy":"Reconcile"}}'
complains 'spec.strategy: Invalid value: "Reconcile": field is immutable'
fails 'a selector that is empty' patch clusterresourceset cni --type json -p '[{"op":"remove","path":"/spec/clusterSelector/matchLabels"}]'
complains '^The ClusterResourceSet "cni" is invalid: *$'
complains '^\* spec.clusterSelector: Invalid value: \{\}: selector must not be empty$'
complains '^\* spec.clusterSelector: Invalid value: \{\}: field is immutable$'
fails 'a binding stays with its cluster' patch clusterresourcesetbinding edge --type merge -p '{"spec":{"clusterName":"core"}}'
complains 'spec.clusterName: Invalid value: "core": field is immutable'
