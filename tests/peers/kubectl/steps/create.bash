# create, from files and by the commands for single kinds.
# shellcheck shell=bash disable=SC2154

widgets
manager() { printf '{.metadata.managedFields[*].manager}'; }

ok 'from a file' create -f "$data/configmaps.yaml"
prints $'configmap/one created\nconfigmap/two created\nconfigmap/three created'
holds "$(manager)" kubectl-create configmap one
fails 'a second time' create -f "$data/configmaps.yaml"
complains '^Error from server \(AlreadyExists\): error when creating ".*/configmaps.yaml": configmaps "one" already exists$'
complains '^Error from server \(AlreadyExists\): error when creating ".*/configmaps.yaml": configmaps "two" already exists$'
complains '^Error from server \(AlreadyExists\): error when creating ".*/configmaps.yaml": configmaps "three" already exists$'
ok 'a list of kinds' create -f "$data/mixed.yaml"
prints $'secret/mixed created\nserviceaccount/mixed created\nservice/mixed created\nlease.coordination.k8s.io/mixed created'
holds '{.data.password}' aHVudGVyMg== secret mixed
ok 'a custom resource' create -f "$data/widget.yaml"
prints 'widget.test.corset.dev/first created'
holds '{.spec.replicas}' 1 widget first
ok 'a deployment' create -f "$data/deployment.yaml" -o name
prints 'deployment.apps/web'

ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"typed"}}' 'json from the input' create -f -
prints 'configmap/typed created'
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"made-"}}' 'a name from the server' create -f -
says '^configmap/made-[a-z0-9]{5} created$'
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dry"}}' 'a dry run on the server' create --dry-run=server -f -
prints 'configmap/dry created (server dry run)'
gone configmap dry
ok_with '{"apiVersion":"test.corset.dev/v1","kind":"Widget","metadata":{"name":"dry"},"spec":{"color":"blue"}}' \
    'a dry run shows defaults' create --dry-run=server -f - -o 'jsonpath={.spec.replicas}'
prints 1
gone widget dry
fails_with '{"apiVersion":"test.corset.dev/v1","kind":"Widget","metadata":{"name":"bad"},"spec":{"color":"pink"}}' \
    'what the schema refuses' create -f -
complains '^The Widget "bad" is invalid: spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"$'
if since 1.25; then
    fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"dta":{}}' 'an unknown field' create -f -
    complains '^Error from server \(BadRequest\): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"$'
    ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"odd"},"dta":{}}' 'an unknown field with a warning' create --validate=warn -f -
    complains '^Warning: unknown field "dta"$'
    prints 'configmap/odd created'
    ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"odder"},"dta":{}}' 'an unknown field, no matter' create --validate=false -f -
    prints 'configmap/odder created'
fi
fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"No_Name"}}' 'a bad name' create -f -
complains '^The ConfigMap "No_Name" is invalid: metadata.name: Invalid value: "No_Name": a lowercase RFC 1123 subdomain must consist of'
fails_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"nowhere"}}' 'in a namespace that is not there' create -n nowhere -f -
complains '^Error from server \(NotFound\): error when creating "STDIN": namespaces "nowhere" not found$'
fails_with '{"apiVersion":"nowhere/v1","kind":"Thing","metadata":{"name":"x"}}' 'of a kind that is not there' create -f -
complains 'no matches for kind "Thing" in version "nowhere/v1"'
if since 1.22; then complains '^ensure CRDs are installed first$'; fi

printf 'from a file' >"$scratch/content"
ok 'configmap' create configmap settings --from-literal=a=1 --from-file="key=$scratch/content"
prints 'configmap/settings created'
holds '{.data.key} {.data.a}' 'from a file 1' configmap settings
printf 'A=1\nB=2\n' >"$scratch/variables"
ok 'configmap from variables' create configmap variables --from-env-file="$scratch/variables" -o 'jsonpath={.data}'
prints '{"A":"1","B":"2"}'
ok 'configmap, dry' create configmap dry --from-literal=a=1 --dry-run=server
prints 'configmap/dry created (server dry run)'
gone configmap dry
fails 'configmap that exists' create configmap settings
complains '^[Ee]rror: failed to create configmap: configmaps "settings" already exists$|^Error from server \(AlreadyExists\): configmaps "settings" already exists$'
printf '\001\377\000' >"$scratch/bytes"
ok 'configmap of bytes' create configmap bytes --from-file="$scratch/bytes" -o 'jsonpath={.binaryData.bytes}'
prints 'Af8A'
ok 'secret generic' create secret generic password --from-literal=password=hunter2
prints 'secret/password created'
holds '{.type} {.data.password}' 'Opaque aHVudGVyMg==' secret password
ok 'secret docker-registry' create secret docker-registry registry --docker-server=localhost --docker-username=me --docker-password=secret
prints 'secret/registry created'
holds '{.type}' kubernetes.io/dockerconfigjson secret registry
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test -days 1 \
    -keyout "$scratch/tls.key" -out "$scratch/tls.crt" 2>/dev/null
ok 'secret tls' create secret tls certificate --cert="$scratch/tls.crt" --key="$scratch/tls.key"
prints 'secret/certificate created'
holds '{.type}' kubernetes.io/tls secret certificate
ok 'namespace' create namespace create-another
prints 'namespace/create-another created'
holds '{.status.phase} {.metadata.labels.kubernetes\.io/metadata\.name}' 'Active create-another' namespace create-another
ok 'serviceaccount' create serviceaccount robot
prints 'serviceaccount/robot created'
if since 1.24; then
    ok 'token' create token robot
    says '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'
    token=$out
    anonymous
    fails 'a token says who one is' get configmaps --kubeconfig="$scratch/anonymous" --token="$token"
    complains "^Error from server \\(Forbidden\\): configmaps is forbidden: User \"system:serviceaccount:$namespace:robot\" cannot list resource"
    ok 'token for a while and an audience' create token robot --duration=20m --audience=me
    says '^[A-Za-z0-9_-]+\.'
    ok 'token for longer than the server allows' create token robot --duration=48h
    complains '^Warning: requested expiration of 172800 seconds shortened to 86400 seconds$'
    lifetime=$(cut -d. -f2 <<<"$out" | tr '_-' '/+' | base64 -d 2>/dev/null | sed -E 's/.*"exp":([0-9]+),"iat":([0-9]+).*/\1-\2/')
    [ $((lifetime)) = 86400 ] || fault "it lives for $lifetime seconds"
    ok 'token for a secret' create token robot --bound-object-kind=Secret --bound-object-name=password
    says '^[A-Za-z0-9_-]+\.'
    token=$out
    value delete secret password >/dev/null
    anonymous
    fails 'it ceases with the secret' get configmaps --kubeconfig="$scratch/anonymous" --token="$token"
    complains '^error: You must be logged in to the server \(Unauthorized\)$'
    fails 'token of nobody' create token nobody
    complains '^[Ee]rror.*serviceaccounts "nobody" not found$'
fi
ok 'role' create role reader --verb=get,list,watch --resource=configmaps,pods/log --resource-name=one
prints 'role.rbac.authorization.k8s.io/reader created'
ok 'rolebinding' create rolebinding readers --role=reader --serviceaccount="$namespace:robot" --user=jane --group=team
prints 'rolebinding.rbac.authorization.k8s.io/readers created'
holds '{.subjects[*].kind}' 'User Group ServiceAccount' rolebinding readers
ok 'clusterrole' create clusterrole create-reader --verb=get,list --resource=deployments.apps,deployments.apps/scale
prints 'clusterrole.rbac.authorization.k8s.io/create-reader created'
ok 'clusterrole for paths' create clusterrole create-paths --verb=get --non-resource-url='/logs/*'
prints 'clusterrole.rbac.authorization.k8s.io/create-paths created'
ok 'clusterrole of others' create clusterrole create-sum --aggregation-rule=part=yes
prints 'clusterrole.rbac.authorization.k8s.io/create-sum created'
ok 'clusterrolebinding' create clusterrolebinding create-readers --clusterrole=create-reader --user=jane
prints 'clusterrolebinding.rbac.authorization.k8s.io/create-readers created'
ok 'deployment' create deployment made --image=example/server:2 --replicas=3
prints 'deployment.apps/made created'
holds '{.spec.replicas}' 3 deployment made
ok 'service' create service clusterip made --tcp=80:8080
prints 'service/made created'
ok 'job' create job made --image=example/job -- run this
prints 'job.batch/made created'
ok 'quota' create quota made --hard=pods=5,configmaps=100
prints 'resourcequota/made created'
if since 1.21; then # older ones know nothing but v1beta1
    ok 'cronjob' create cronjob made --image=example/job --schedule='0 1 * * *'
    prints 'cronjob.batch/made created'
    ok 'poddisruptionbudget' create poddisruptionbudget made --selector=app=web --min-available=1
    prints 'poddisruptionbudget.policy/made created'
fi
ok 'priorityclass' create priorityclass create-high --value=1000 --description=high
prints 'priorityclass.scheduling.k8s.io/create-high created'
ok 'ingress' create ingress made --rule='example.test/*=made:80'
prints 'ingress.networking.k8s.io/made created'
ok_with '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"}}' 'raw' create --raw "/api/v1/namespaces/$namespace/configmaps" -f -
says '"name": *"raw"'
