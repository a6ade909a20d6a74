# What the server is and has: versions, discovery, raw paths, access.
# shellcheck shell=bash disable=SC2154

widgets

ok 'version' version
if since 1.28; then
    says '^Server Version: v1\.[0-9]+\.[0-9]+'
    # A kubectl counts on a server at most one minor version away, and ours is a newer one.
    if ! since 1.35; then complains '^(Warning|WARNING): version difference between client \(1\.[0-9]+\) and server \(1\.[0-9]+\) exceeds the supported minor version skew of \+/-1$'; fi
else
    says '^Server Version: version.Info\{Major:"1", Minor:"[0-9]+", GitVersion:"v1\.'
fi
ok 'version as yaml' version -o yaml
says '^serverVersion:$'
if since 1.28 && ! since 1.35; then complains 'exceeds the supported minor version skew'; fi
ok 'cluster-info' cluster-info
says 'https://127\.0\.0\.1:'
says 'is running at'
ok 'api-versions' api-versions
for group in v1 apps/v1 batch/v1 rbac.authorization.k8s.io/v1 apiextensions.k8s.io/v1 coordination.k8s.io/v1 \
    events.k8s.io/v1 authentication.k8s.io/v1 authorization.k8s.io/v1 test.corset.dev/v1; do
    says "^$group\$"
done
ok 'api-resources' api-resources
if since 1.21; then
    says '^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND$'
    says '^configmaps +cm +v1 +true +ConfigMap$'
    says '^widgets +wd +test.corset.dev/v1 +true +Widget$'
else
    says '^NAME +SHORTNAMES +APIGROUP +NAMESPACED +KIND$|^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND$'
    says '^configmaps +cm +v1 +true +ConfigMap$'
    says '^widgets +wd +test.corset.dev/v1 +true +Widget$'
fi
ok 'api-resources, wide' api-resources -o wide
says '^deployments +deploy +apps/v1 +true +Deployment +(\[create delete deletecollection get list patch update watch\]|create,delete,deletecollection,get,list,patch,update,watch)'
ok 'api-resources of a group' api-resources --api-group=test.corset.dev -o name
prints widgets.test.corset.dev
ok 'api-resources that cannot be listed' api-resources --verbs=create --namespaced=false -o name
says '^selfsubjectaccessreviews.authorization.k8s.io$'
ok 'every kind that can be listed' api-resources --verbs=list,get --namespaced=true -o name
mapfile -t kinds < <(grep -v '^endpoints$' <<<"$out")
value create -f "$data/widget.yaml" -f "$data/mixed.yaml" -f "$data/deployment.yaml" >/dev/null
ok 'all of them' get "$(IFS=,; echo "${kinds[*]}")"
says '^serviceaccount/mixed '
says '^deployment.apps/web '
says '^widget.test.corset.dev/first '
ok 'those of the cluster' api-resources --verbs=list,get --namespaced=false -o name
mapfile -t kinds < <(grep -v '^componentstatuses$' <<<"$out")
ok 'all of those' get "$(IFS=,; echo "${kinds[*]}")" --ignore-not-found -o name
says '^namespace/kube-system$'
says '^clusterrole.rbac.authorization.k8s.io/cluster-admin$'

ok 'raw: version' get --raw /version
says '"gitVersion": *"v1\.'
ok 'raw: health' get --raw /healthz
prints ok
ok 'raw: readiness in full' get --raw '/readyz?verbose'
says '^readyz check passed$'
ok 'raw: an object' get --raw "/api/v1/namespaces/$namespace"
says '"kind": *"Namespace"'
fails 'raw: nothing there' get --raw /nothing/there
complains '^Error from server \(NotFound\): the server could not find the requested resource$'

ok 'can-i, as admin' auth can-i '*' '*'
prints yes
ok 'can-i list' auth can-i --list
says '^Resources +Non-Resource URLs +Resource Names +Verbs$'
says '^\*\.\* +\[\] +\[\] +\[\*\]$'
value create serviceaccount robot >/dev/null
value create role reader --verb=get,list --resource=configmaps >/dev/null
value create rolebinding reader --role=reader --serviceaccount="$namespace:robot" >/dev/null
robot=system:serviceaccount:$namespace:robot
ok 'can-i, as a robot' auth can-i list configmaps --as="$robot"
prints yes
fails 'can-i, and cannot' auth can-i delete configmaps --as="$robot"
says '^no'
fails 'can-i elsewhere' auth can-i list configmaps --as="$robot" -n default
says '^no'
fails 'can-i, of a subresource' auth can-i get deployments --subresource=scale --as="$robot"
says '^no'
ok 'can-i, of a path' auth can-i get /healthz --as="$robot"
prints yes
ok 'can-i list of a robot' auth can-i --list --as="$robot"
says '^configmaps +\[\] +\[\] +\[get list\]$'
says '^ +\[/healthz\] +\[\] +\[get\]$'
ok 'as a robot' get configmaps --as="$robot" -o name
fails 'as a robot, what it may not' get secrets --as="$robot"
complains "^Error from server \\(Forbidden\\): secrets is forbidden: User \"$robot\" cannot list resource \"secrets\" in API group \"\" in the namespace \"$namespace\"\$"
fails 'as a robot, more than it has' create role more --verb=delete --resource=secrets --as="$robot"
complains 'Error from server \(Forbidden\)|is forbidden: User'
ok 'reconcile' auth reconcile -f - < <(value get role reader -o yaml)
if since 1.28; then
    ok 'whoami' auth whoami
    says '^ATTRIBUTE +VALUE$'
    says '^Username +kubernetes-admin$'
    says '^Groups +\[system:masters system:authenticated\]$'
    ok 'whoami, as a robot' auth whoami --as="$robot" -o 'jsonpath={.status.userInfo.username}'
    prints "$robot"
fi
if since 1.24; then
    token=$(value create token robot)
    anonymous
    ok 'by a token' get configmaps --kubeconfig="$scratch/anonymous" --token="$token" -o name
    fails 'by a token, what it may not' get secrets --kubeconfig="$scratch/anonymous" --token="$token"
    complains '^Error from server \(Forbidden\): secrets is forbidden'
fi
anonymous
fails 'by a bad token' get configmaps --kubeconfig="$scratch/anonymous" --token=nonsense
complains '^error: You must be logged in to the server \(.*\)$'
