"""CRS-66 to CRS-72, CRS-76 to CRS-78, CRS-75: what a resource may hold, and sets at rest."""
import json

from lib.kube import until
from lib.fixture import SELECTED, check, check_equal
from lib.scenario import scenario


def apply(fixture, data):
    fixture.cluster()
    fixture.map(data=data)
    fixture.start()
    fixture.set()


def as_json(fixture, name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": fixture.namespace},
            "data": {"k": "1"}}


@scenario()
def crs_66_two_documents_are_two_objects(fixture):
    apply(fixture, fixture.manifest("a") + "---\n" + fixture.manifest("b"))
    fixture.await_applied()
    check_equal("values", [fixture.value("a"), fixture.value("b")], ["1", "1"])


@scenario()
def crs_67_empty_documents_are_skipped(fixture):
    apply(fixture, "---\n---\n# nothing\n---\n" + fixture.manifest("a") + "---\n---\n\n---\n# end\n")
    fixture.await_applied()
    check_equal("a", fixture.value("a"), "1")


@scenario()
def crs_68_a_json_list_is_applied_element_by_element(fixture):
    apply(fixture, json.dumps([as_json(fixture, "a"), as_json(fixture, "b")]))
    fixture.await_applied()
    check_equal("values", [fixture.value("a"), fixture.value("b")], ["1", "1"])


@scenario()
def crs_69_a_json_object_is_one_object(fixture):
    apply(fixture, json.dumps(as_json(fixture, "a")))
    fixture.await_applied()
    check_equal("a", fixture.value("a"), "1")


@scenario()
def crs_70_a_value_is_posted_by_kind(fixture):
    inner = fixture.namespace + "-in"
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": inner}, "spec": {
        "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {
            "containers": [{"name": "c", "image": "x"}]}}}}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": inner}}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner}}
    apply(fixture, "\n---\n".join(map(json.dumps, (deployment, config, space))))
    fixture.await_applied()
    check_equal("the order", [one["objectRef"]["resource"] for one in fixture.blue.writes()],
                ["namespaces", "configmaps", "deployments"])
    fixture.blue.admin.delete("Namespace", None, inner)


@scenario()
def crs_71_values_follow_each_other_by_key(fixture):
    apply(fixture, {"b": fixture.manifest("from-b"), "a": fixture.manifest("from-a")})
    fixture.await_applied()
    check_equal("the order", [one["objectRef"].get("name") or one["requestObject"]["metadata"]["name"]
                              for one in fixture.blue.writes()], ["from-a", "from-b"])


@scenario()
def crs_72_what_lacks_a_namespace_fails(fixture):
    apply(fixture, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")
    until("the entry", lambda: fixture.entry() == "ConfigMap/cm1 false hash")
    until("v1beta1", lambda: "an empty namespace may not be set during creation" in fixture.deprecated())


@scenario()
def crs_72_a_kind_the_server_does_not_know_fails(fixture):
    apply(fixture, f"apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n  namespace: {fixture.namespace}\n")
    until("v1beta1", lambda: 'no matches for kind "Thing" in version "example.com/v1"' in fixture.deprecated())


@scenario()
def crs_70_a_definition_and_its_object_in_one_value(fixture):
    """The kind is not in discovery at first; the real server needs a moment before it serves it."""
    group = f"{fixture.namespace}.example.com"
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                  "metadata": {"name": f"things.{group}"}, "spec": {
                      "group": group, "scope": "Namespaced", "names": {
                          "kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
                      "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                          "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "t", "namespace": fixture.namespace}}
    apply(fixture, json.dumps(thing) + "\n---\n" + json.dumps(definition))
    fixture.await_applied()
    fixture.blue.admin.ask("GET", f"/apis/{group}/v1/namespaces/{fixture.namespace}/things/t")
    fixture.blue.admin.delete("CustomResourceDefinition", None, f"things.{group}")


@scenario()
def crs_75_a_resync_of_an_unchanged_world_writes_nothing(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start("--sync-period", "2s")
    fixture.set(strategy="Reconcile")
    fixture.await_settled()
    before = fixture.controller.metric("controller_runtime_reconcile_total", controller="clusterresourceset")
    fixture.check_quiet(seconds=6, kick=False)
    after = fixture.controller.metric("controller_runtime_reconcile_total", controller="clusterresourceset")
    check("it looked again", after > before)


@scenario()
def crs_75_a_restart_in_an_unchanged_world_writes_nothing(fixture):
    fixture.ready("Reconcile")
    fixture.controller.stop()
    for audit in (fixture.audit, fixture.blue.audit):
        audit.mark()
    fixture.controller.start()
    fixture.controller.wait_ready()
    until("it looked", lambda: fixture.controller.metric("controller_runtime_reconcile_total",
                                                       controller="clusterresourceset", result="success"))
    check_equal("writes", fixture.audit.writes(namespace=fixture.namespace), [])
    check_equal("writes", fixture.blue.writes(), [])


@scenario()
def crs_76_a_set_without_the_label_of_the_filter_is_ignored(fixture):
    label = {"cluster.x-k8s.io/watch-filter": "mine"}
    fixture.cluster(labels={**SELECTED, **label})
    fixture.map(data=fixture.manifest(), metadata={"name": "cm1", "namespace": fixture.namespace, "labels": label})
    fixture.start("--watch-filter", "mine")
    fixture.set("ignored")
    fixture.set("seen", labels=label)
    fixture.await_applied("seen")
    check("no finalizer", "finalizers" not in fixture.get_set("ignored")["metadata"])
    check("no entry", fixture.entry(name="ignored") is None)


@scenario()
def crs_77_the_entry_with_the_sets_name_is_used(fixture):
    fixture.management.create({
        "kind": "ClusterResourceSetBinding", "apiVersion": "addons.cluster.x-k8s.io/v1beta2",
        "metadata": {"name": "c1", "namespace": fixture.namespace},
        "spec": {"clusterName": "c1", "bindings": [{"clusterResourceSetName": name} for name in ("x", "crs1", "y")]}})
    apply(fixture, fixture.manifest())
    fixture.await_applied()
    check_equal("entries", [one["clusterResourceSetName"] for one in fixture.get_binding()["spec"]["bindings"]],
                ["x", "crs1", "y"])
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_78_a_pass_that_failed_observes_nothing(fixture):
    apply(fixture, "a: [")
    fixture.await_condition("False/NotApplied/")
    check("not observed", "observedGeneration" not in fixture.get_set()["status"])
    fixture.change_map("cm1", fixture.manifest())
    fixture.await_settled()
    check_equal("observedGeneration", fixture.get_set()["status"]["observedGeneration"], 1)
