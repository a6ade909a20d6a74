# get, in every form of output.
# shellcheck shell=bash disable=SC2154

widgets
value create -f "$data/configmaps.yaml" -f "$data/widget.yaml" -f "$data/deployment.yaml" >/dev/null

ok 'a table' get configmaps
says '^NAME +DATA +AGE$'
says '^one +2 +[0-9ms]+$'
says '^three +2 +[0-9ms]+$'
ok 'one object' get configmap one --no-headers
says '^one +2 +[0-9ms]+$'
says_not '^NAME'
ok 'several by name' get configmap/two widget/first
says '^configmap/two +2 '
says '^widget.test.corset.dev/first +red '
ok 'wide' get deployments -o wide
says '^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR$'
says '^web +0/2 +0 +0 +[0-9ms]+ +server +example/server:1 +app=web$'
ok 'a custom resource has its own columns' get widgets
says '^NAME +COLOR +REPLICAS +AGE$'
says '^first +red +1 +[0-9ms]+$'
ok 'and more of them when wide' get wd -o wide
says '^NAME +COLOR +REPLICAS +NOTE +AGE$'
says '^first +red +1 +the first one +[0-9ms]+$'
ok 'namespaces' get namespaces
says '^kube-system +Active +[0-9ms]+$'
ok 'with labels' get configmap -L tier --show-labels
says '^NAME +DATA +AGE +TIER +LABELS$'
says '^two +2 +[0-9ms]+ +back +app=demo,tier=back$'

ok 'yaml' get configmap one -o yaml
says '^apiVersion: v1$'
says '^kind: ConfigMap$'
says '^  color: red$'
says "^  namespace: $namespace\$"
ok 'json' get configmap one -o json
says '^    "kind": "ConfigMap",$'
says '^        "color": "red",$'
ok 'a list in yaml' get configmaps,widgets -o yaml
says '^kind: List$'
says '^  kind: ConfigMap$'
says '^  kind: Widget$'
ok 'names' get configmaps one two -o name
prints $'configmap/one\nconfigmap/two'
ok 'names of a custom resource' get wd -o name
prints 'widget.test.corset.dev/first'
ok 'jsonpath' get configmap one -o 'jsonpath={.data.color} {.metadata.labels.tier}'
prints 'red front'
ok 'jsonpath over a list' get configmaps -o 'jsonpath={range .items[?(@.data.order)]}{.metadata.name}={.data.order};{end}'
prints 'one=3;three=2;two=1;'
ok 'custom columns' get configmaps one -o 'custom-columns=WHO:.metadata.name,COLOR:.data.color'
prints $'WHO   COLOR\none   red'
ok 'a go template' get configmap two -o 'go-template={{.metadata.name}} is {{.data.color}}'
prints 'two is green'
ok 'a template over a list' get configmap -l app=demo -o 'go-template={{range .items}}{{.metadata.name}} {{end}}'
prints 'one two '

ok 'by label' get configmap -l app=demo,tier=back -o name
prints 'configmap/two'
ok 'by a set of labels' get configmap -l 'app in (other, demo),tier notin (front)' -o name
prints $'configmap/three\nconfigmap/two'
ok 'by the absence of a label' get configmap -l 'app,!tier' -o name
prints 'configmap/three'
ok 'by field' get configmap --field-selector metadata.name=two -o name
prints 'configmap/two'
ok 'by field, not' get configmap --field-selector 'metadata.name!=two' -o name
says '^configmap/one$'
says_not '^configmap/two$'
ok 'of every namespace' get configmap -A
says '^NAMESPACE +NAME +DATA +AGE$'
says "^$namespace +one +2 "
ok 'of every namespace, by field' get configmap -A --field-selector "metadata.namespace=$namespace,metadata.name=one" -o name
prints 'configmap/one'
ok 'sorted' get configmap -l app --sort-by .data.order
says_not '^NAME.*ORDER'
[ "$(awk 'NR > 1 { printf "%s ", $1 }' <<<"$out")" = 'two three one ' ] || fault 'not in order'
ok 'sorted names' get configmap -l app --sort-by .metadata.name -o name
prints $'configmap/one\nconfigmap/three\nconfigmap/two'
ok 'in chunks' get configmap -l app --chunk-size=1 -o name
prints $'configmap/one\nconfigmap/three\nconfigmap/two'
ok 'a table in chunks' get configmap -l app --chunk-size=2
says '^one '
says '^three '
says '^two '
ok 'a category' get all
says '^deployment.apps/web +0/2 '
says '^widget.test.corset.dev/first +red '
ok 'from a file' get -f "$data/configmaps.yaml" -o name
prints $'configmap/one\nconfigmap/two\nconfigmap/three'
ok 'by the full name of a kind' get deployments.v1.apps/web -o name
prints 'deployment.apps/web'
ok 'nothing, as a table' get secrets -l no=such
complains "^No resources found in $namespace namespace\\.\$"
prints ''
ok 'nothing in all namespaces' get secrets -A -l no=such
complains '^No resources found$'
ok 'nothing, as a list' get secrets -l no=such -o 'jsonpath={.items}'
prints '[]'
ok 'nothing, and no matter' get configmap missing --ignore-not-found
prints ''
fails 'an object that is not there' get configmap missing
complains '^Error from server \(NotFound\): configmaps "missing" not found$'
fails 'a namespace that is not there' get configmap missing -n no-such-namespace
complains '^Error from server \(NotFound\): namespaces "no-such-namespace" not found$'
fails 'a kind that is not there' get gadgets
complains "^error: the server doesn't have a resource type \"gadgets\"\$"
fails 'a bad selector' get configmap -l 'a b'
complains 'unable to parse requirement: found .b., expected'
fails 'a bad field' get configmap --field-selector data.color=red
complains '^Error from server \(BadRequest\): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector "data.color=red": "data.color" is not a known field selector: only "metadata.name", "metadata.namespace"$'

if since 1.24; then
    ok 'a subresource' get deployment web --subresource=status -o 'jsonpath={.kind}'
    prints 'Deployment'
    ok 'a scale' get widget first --subresource=scale -o 'jsonpath={.kind} {.spec.replicas}'
    prints 'Scale 1'
fi

watch_begin 'watches a table' get configmap -l app=watched -w
watching
value create configmap seen --from-literal=a=1 >/dev/null
value label configmap seen app=watched >/dev/null
watched '^seen +1 +[0-9ms]+$'
value patch configmap seen -p '{"data":{"b":"2"}}' >/dev/null
watched '^seen +2 +[0-9ms]+$'
value label configmap seen app- >/dev/null
watch_end

watch_begin 'watches one object' get configmap one -w -o 'jsonpath={.data.color}{"\n"}'
watched '^red$'
watching
value patch configmap one -p '{"data":{"color":"green"}}' >/dev/null
watched '^green$'
watch_end

watch_begin 'watches changes alone, and their kind' get widgets --watch-only --output-watch-events
watching
value label widget first seen=1 >/dev/null
watched '^EVENT +NAME +COLOR +REPLICAS +AGE$'
watched '^MODIFIED +first +red +1 +[0-9ms]+$'
value delete widget first >/dev/null
watched '^DELETED +first +red +1 +[0-9ms]+$'
watch_end

watch_begin 'watches every namespace as yaml' get configmap -A -w -o yaml
watched '^  name: two$'
watching
value delete configmap two >/dev/null
watched '^kind: ConfigMap$'
watch_end
