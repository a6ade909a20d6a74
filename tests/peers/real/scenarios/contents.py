"""CRS-66 to CRS-72, CRS-76 to CRS-78, CRS-75: what a resource may hold, and sets at rest."""
import json

from lib.kube import until
from lib.scene import SELECTED, check, check_equal
from lib.scenario import scenario


def apply(scene, data):
    scene.cluster()
    scene.map(data=data)
    scene.start()
    scene.set()


def as_json(scene, name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": scene.namespace},
            "data": {"k": "1"}}


@scenario()
def crs_66_two_documents_are_two_objects(scene):
    apply(scene, scene.manifest("a") + "---\n" + scene.manifest("b"))
    scene.await_applied()
    check_equal("values", [scene.value("a"), scene.value("b")], ["1", "1"])


@scenario()
def crs_67_empty_documents_are_skipped(scene):
    apply(scene, "---\n---\n# nothing\n---\n" + scene.manifest("a") + "---\n---\n\n---\n# end\n")
    scene.await_applied()
    check_equal("a", scene.value("a"), "1")


@scenario()
def crs_68_a_json_list_is_applied_element_by_element(scene):
    apply(scene, json.dumps([as_json(scene, "a"), as_json(scene, "b")]))
    scene.await_applied()
    check_equal("values", [scene.value("a"), scene.value("b")], ["1", "1"])


@scenario()
def crs_69_a_json_object_is_one_object(scene):
    apply(scene, json.dumps(as_json(scene, "a")))
    scene.await_applied()
    check_equal("a", scene.value("a"), "1")


@scenario()
def crs_70_a_value_is_posted_by_kind(scene):
    inner = scene.namespace + "-in"
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": inner}, "spec": {
        "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {
            "containers": [{"name": "c", "image": "x"}]}}}}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": inner}}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner}}
    apply(scene, "\n---\n".join(map(json.dumps, (deployment, config, space))))
    scene.await_applied()
    check_equal("the order", [one["objectRef"]["resource"] for one in scene.blue.writes()],
                ["namespaces", "configmaps", "deployments"])
    scene.blue.admin.delete("Namespace", None, inner)


@scenario()
def crs_71_values_follow_each_other_by_key(scene):
    apply(scene, {"b": scene.manifest("from-b"), "a": scene.manifest("from-a")})
    scene.await_applied()
    check_equal("the order", [one["objectRef"].get("name") or one["requestObject"]["metadata"]["name"]
                              for one in scene.blue.writes()], ["from-a", "from-b"])


@scenario()
def crs_72_what_lacks_a_namespace_fails(scene):
    apply(scene, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")
    until("the entry", lambda: scene.entry() == "ConfigMap/cm1 false hash")
    until("v1beta1", lambda: "an empty namespace may not be set during creation" in scene.deprecated())


@scenario()
def crs_72_a_kind_the_server_does_not_know_fails(scene):
    apply(scene, f"apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n  namespace: {scene.namespace}\n")
    until("v1beta1", lambda: 'no matches for kind "Thing" in version "example.com/v1"' in scene.deprecated())


@scenario()
def crs_70_a_definition_and_its_object_in_one_value(scene):
    """The kind is not in discovery at first; the real server needs a moment before it serves it."""
    group = f"{scene.namespace}.example.com"
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                  "metadata": {"name": f"things.{group}"}, "spec": {
                      "group": group, "scope": "Namespaced", "names": {
                          "kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
                      "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                          "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": scene.namespace}}
    apply(scene, json.dumps(thing) + "\n---\n" + json.dumps(definition))
    scene.await_applied()
    scene.blue.admin.ask("GET", f"/apis/{group}/v1/namespaces/{scene.namespace}/things/t")
    scene.blue.admin.delete("CustomResourceDefinition", None, f"things.{group}")


@scenario()
def crs_75_a_resync_of_an_unchanged_world_writes_nothing(scene):
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.start("--sync-period", "2s")
    scene.set(strategy="Reconcile")
    scene.await_settled()
    before = scene.controller.metric("controller_runtime_reconcile_total", controller="clusterresourceset")
    scene.check_quiet(seconds=6, kick=False)
    after = scene.controller.metric("controller_runtime_reconcile_total", controller="clusterresourceset")
    check("it looked again", after > before)


@scenario()
def crs_75_a_restart_in_an_unchanged_world_writes_nothing(scene):
    scene.ready("Reconcile")
    scene.controller.stop()
    for audit in (scene.audit, scene.blue.audit):
        audit.mark()
    scene.controller.start()
    scene.controller.wait_ready()
    until("it looked", lambda: scene.controller.metric("controller_runtime_reconcile_total",
                                                       controller="clusterresourceset", result="success"))
    check_equal("writes", scene.audit.writes(namespace=scene.namespace), [])
    check_equal("writes", scene.blue.writes(), [])


@scenario()
def crs_76_a_set_without_the_label_of_the_filter_is_ignored(scene):
    label = {"cluster.x-k8s.io/watch-filter": "mine"}
    scene.cluster(labels={**SELECTED, **label})
    scene.map(data=scene.manifest(), metadata={"name": "cm1", "namespace": scene.namespace, "labels": label})
    scene.start("--watch-filter", "mine")
    scene.set("ignored")
    scene.set("seen", labels=label)
    scene.await_applied("seen")
    check("no finalizer", "finalizers" not in scene.get_set("ignored")["metadata"])
    check("no entry", scene.entry(name="ignored") is None)


@scenario()
def crs_77_the_entry_with_the_sets_name_is_used(scene):
    scene.management.create({
        "kind": "ClusterResourceSetBinding", "apiVersion": "addons.cluster.x-k8s.io/v1beta2",
        "metadata": {"name": "c1", "namespace": scene.namespace},
        "spec": {"clusterName": "c1", "bindings": [{"clusterResourceSetName": name} for name in ("x", "crs1", "y")]}})
    apply(scene, scene.manifest())
    scene.await_applied()
    check_equal("entries", [one["clusterResourceSetName"] for one in scene.get_binding()["spec"]["bindings"]],
                ["x", "crs1", "y"])
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_78_a_pass_that_failed_observes_nothing(scene):
    apply(scene, "a: [")
    scene.await_condition("False/NotApplied/")
    check("not observed", "observedGeneration" not in scene.get_set()["status"])
    scene.change_map("cm1", scene.manifest())
    scene.await_settled()
    check_equal("observedGeneration", scene.get_set()["status"]["observedGeneration"], 1)
