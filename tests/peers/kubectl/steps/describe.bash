# describe, which asks for events and much else behind the object.
# shellcheck shell=bash disable=SC2154

widgets
value create -f "$data/configmaps.yaml" -f "$data/widget.yaml" -f "$data/deployment.yaml" -f "$data/mixed.yaml" >/dev/null
value create quota limits --hard=configmaps=100 >/dev/null
value create -f - >/dev/null <<TEXT
apiVersion: v1
kind: Event
metadata: {name: web.1}
involvedObject: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: $namespace, uid: $(value get deployment web -o 'jsonpath={.metadata.uid}')}
type: Normal
reason: ScalingReplicaSet
message: Scaled up to 2
source: {component: test}
firstTimestamp: "2024-01-01T00:00:00Z"
lastTimestamp: "2024-01-01T00:00:00Z"
count: 1
TEXT

ok 'a namespace' describe namespace "$namespace"
says "^Name: +$namespace\$"
says '^Status: +Active$'
says '^Resource Quotas:?$'
says '^ +Name: +limits$'
says '^No LimitRange resource\.$'
ok 'a config map' describe configmap one
says '^Name: +one$'
says '^Labels: +app=demo$'
says '^color:$'
says '^red$'
ok 'a secret, without its content' describe secret mixed
says '^Type: +Opaque$'
says '^password: +7 bytes$'
says_not hunter2
ok 'a deployment, and its event' describe deployment web
says '^Replicas: +2 desired \| 0 updated \| 0 total \| 0 available \| 0 unavailable$'
says '^ +Image: +example/server:1$'
says '^StrategyType: +RollingUpdate$'
says 'ScalingReplicaSet .*test +Scaled up to 2$'
ok 'a definition' describe crd widgets.test.corset.dev
says '^Name: +widgets.test.corset.dev$'
says '^Kind: +CustomResourceDefinition$'
says '^ +Reason: +InitialNamesAccepted$'
says '^Events: +<none>$'
ok 'a custom resource' describe widget first
says '^Name: +first$'
says '^API Version: +test.corset.dev/v1$'
says '^ +Color: +red$'
says '^Events: +<none>$'
ok 'a service account' describe serviceaccount mixed
says '^Name: +mixed$'
ok 'a service' describe service mixed
says '^Selector: +app=web$'
says '^TargetPort: +8080/TCP$'
if ! since 1.22; then complains '^Warning: v1 Endpoints is deprecated in v1.33\+; use discovery.k8s.io/v1 EndpointSlice$'; fi
ok 'a lease' describe lease mixed
says '^ +Holder Identity: +me$'
ok 'a quota' describe quota limits
says '^Resource +Used +Hard$'
ok 'a role' describe clusterrole cluster-admin
says '^ +\*\.\* +\[\] +\[\] +\[\*\]$'
ok 'by prefix and label' describe configmap -l app=demo
says '^Name: +one$'
says '^Name: +two$'
ok 'a file' describe -f "$data/widget.yaml"
says '^Name: +first$'
fails 'what is not there' describe configmap missing
complains '^Error from server \(NotFound\): configmaps "missing" not found$'

ok 'events' get events
says '^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$'
says ' +Normal +ScalingReplicaSet +deployment/web +Scaled up to 2$'
ok 'events by the object' get events --field-selector involvedObject.kind=Deployment,involvedObject.name=web,type=Normal -o name
prints 'event/web.1'
ok 'events of the newer group' get events.events.k8s.io -o name
prints 'event.events.k8s.io/web.1'
if since 1.26; then
    ok 'events by their command' events --for deployment/web
    says ' +Normal +ScalingReplicaSet +Deployment/web +Scaled up to 2$'
    ok 'events of every namespace' events -A --types=Normal
    says "^$namespace +"
fi
