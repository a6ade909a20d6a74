"""CRS-13, CRS-30 to CRS-47, CRS-79: what is applied when, and what the binding says of it."""
import time

from lib.audit import summary
from lib.kube import until
from lib.scene import check, check_equal, check_in
from lib.scenario import scenario

VECTOR = "metadata:\n name: resource-configmap\n namespace: default\nkind: ConfigMap\napiVersion: v1"
VECTOR_HASH = "sha256:e385c6897ab8e3ff1be042d3797f4b7c2e4f39482d6c17c3a39b22efa04a682d"
NOT_APPLIED = "False/NotApplied/Failed to apply ClusterResourceSet resources to Cluster"
BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n  namespace: "


def begin(scene, strategy, text=None):
    """c1 with crs1, which has cm1 alone."""
    scene.cluster()
    scene.map(data=text or scene.manifest())
    scene.start()
    scene.set(strategy=strategy)


def with_entry(scene, strategy, applied, digest="sha256:0"):
    """The same with a binding that is there before."""
    scene.management.create({
        "kind": "ClusterResourceSetBinding", "apiVersion": "addons.cluster.x-k8s.io/v1beta2",
        "metadata": {"name": "c1", "namespace": scene.namespace},
        "spec": {"clusterName": "c1", "bindings": [{"clusterResourceSetName": "crs1", "resources": [
            {"kind": "ConfigMap", "name": "cm1", "applied": applied, "hash": digest,
             "lastAppliedTime": "2026-01-01T00:00:00Z"}]}]}})
    begin(scene, strategy)


def await_hash_change(scene, before):
    until("the entry has another hash", lambda: scene.raw_entry()["resources"][0]["hash"] != before)


def hash_of(scene):
    return scene.raw_entry()["resources"][0]["hash"]


@scenario()
def crs_13_everything_is_applied(scene):
    scene.ready()
    check_equal("a", scene.value("a"), "1")
    check_equal("b", scene.value("b"), "1")
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash, Secret/s1 true hash")
    check_equal("entries", len(scene.get_binding()["spec"]["bindings"]), 1)
    check_equal("clusterName", scene.get_binding()["spec"]["clusterName"], "c1")
    check_equal("the condition", scene.condition(), "True/Applied/")
    check_equal("v1beta1", scene.deprecated(), "True///")
    status = scene.get_set()["status"]
    check_equal("observedGeneration", status["observedGeneration"], 1)
    # The server drops what its schema does not know; the framework's conditions are still there.
    check_equal("conditions", [one["type"] for one in status["conditions"]],
                ["Failed", "InProgress", "ResourcesApplied", "Paused"])
    check_equal("InProgress", scene.condition("InProgress"), "False/Succeeded/")
    check_equal("Failed", scene.condition("Failed"), "False/Succeeded/")


@scenario()
def crs_30_apply_once_posts_and_records(scene):
    begin(scene, "ApplyOnce", VECTOR)
    scene.await_applied()
    check_equal("requests", [one["verb"] for one in scene.blue.requests(resource="configmaps")], ["create"])
    check_equal("hash", hash_of(scene), VECTOR_HASH)
    check_equal("form of the time", scene.raw_entry()["resources"][0]["lastAppliedTime"][-1], "Z")
    scene.blue.admin.delete("ConfigMap", "default", "resource-configmap")


@scenario()
def crs_31_what_was_applied_once_stays_as_it_is(scene):
    begin(scene, "ApplyOnce")
    scene.await_settled()
    before = scene.raw_entry()
    scene.blue.audit.mark()
    for text in (scene.manifest("a", "2"), "a: ["):
        scene.change_map("cm1", text)
        time.sleep(2)
    check_equal("requests", summary(scene.blue.requests()), [])
    check_equal("the entry", scene.raw_entry(), before)
    check_equal("the object", scene.value(), "1")


@scenario()
def crs_32_what_failed_before_is_applied_again(scene):
    with_entry(scene, "ApplyOnce", False)
    scene.await_applied()
    check_equal("the object", scene.value(), "1")
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_33_what_exists_counts_as_applied(scene):
    scene.blue.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {
        "name": "a", "namespace": scene.namespace}, "data": {"k": "other"}})
    begin(scene, "ApplyOnce")
    scene.await_applied()
    check_equal("the object", scene.value(), "other")
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_34_what_was_applied_once_is_not_made_again(scene):
    begin(scene, "ApplyOnce")
    scene.await_settled()
    scene.blue.admin.delete("ConfigMap", scene.namespace, "a")
    scene.check_quiet()
    check("not there", scene.live() is None)


@scenario()
def crs_35_reconcile_makes_what_is_absent(scene):
    begin(scene, "Reconcile")
    scene.await_applied()
    check_equal("the object", scene.value(), "1")
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_36_reconcile_applies_what_failed_before(scene):
    with_entry(scene, "Reconcile", False)
    scene.await_applied()
    check_equal("the object", scene.value(), "1")


@scenario()
def crs_37_the_same_hash_sends_nothing(scene):
    begin(scene, "Reconcile")
    scene.await_settled()
    scene.check_quiet()


@scenario()
def crs_38_a_changed_manifest_is_applied(scene):
    begin(scene, "Reconcile")
    scene.await_settled()
    before = hash_of(scene)
    scene.blue.audit.mark()
    scene.change_map("cm1", scene.manifest("a", "2"))
    await_hash_change(scene, before)
    check_equal("the object", scene.value(), "2")
    check_equal("the patch", [one["requestObject"] for one in scene.blue.writes()], [{"data": {"k": "2"}}])


@scenario()
def crs_39_all_objects_of_a_changed_resource_are_looked_at(scene):
    def text(value):
        return "---\n".join([scene.manifest("a"), scene.manifest("b", value), scene.manifest("c")])
    begin(scene, "Reconcile", text("1"))
    scene.await_settled()
    before = hash_of(scene)
    scene.blue.audit.mark()
    scene.change_map("cm1", text("2"))
    await_hash_change(scene, before)
    check_equal("read", sorted(one["objectRef"]["name"] for one in scene.blue.requests(
        verbs=("get",), resource="configmaps")), ["a", "b", "c"])
    check_equal("b", scene.value("b"), "2")


@scenario()
def crs_40_what_somebody_deleted_is_made_anew(scene):
    begin(scene, "Reconcile")
    scene.await_settled()
    before = hash_of(scene)
    scene.blue.admin.delete("ConfigMap", scene.namespace, "a")
    scene.change_map("cm1", scene.manifest("a", "2"))
    await_hash_change(scene, before)
    check_equal("the object", scene.value(), "2")


@scenario()
def crs_41_a_key_that_is_gone_goes(scene):
    begin(scene, "Reconcile", scene.manifest() + "  more: x\n")
    scene.await_settled()
    before = hash_of(scene)
    check_equal("data", scene.live()["data"], {"k": "1", "more": "x"})
    scene.change_map("cm1", scene.manifest())
    await_hash_change(scene, before)
    check_equal("data", scene.live()["data"], {"k": "1"})


@scenario()
def crs_42_an_object_that_is_no_longer_named_stays(scene):
    begin(scene, "Reconcile", scene.manifest() + "---\n" + scene.manifest("b"))
    scene.await_settled()
    before = hash_of(scene)
    scene.change_map("cm1", scene.manifest("a", "2"))
    await_hash_change(scene, before)
    check_equal("a", scene.value("a"), "2")
    check_equal("b", scene.value("b"), "1")


@scenario()
def crs_43_one_object_fails_and_the_other_is_applied(scene):
    begin(scene, "ApplyOnce", BROKEN + scene.namespace + "\n---\n" + scene.manifest())
    scene.await_condition(NOT_APPLIED)
    until("the other one is there", lambda: scene.value() == "1")
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 false hash")
    check_in("v1beta1", "False/ApplyFailed/Warning/", scene.deprecated())
    check_in("v1beta1", f"creating object /v1, Kind=ConfigMap {scene.namespace}/Not_A_Name: ConfigMap "
             '"Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 '
             "subdomain must consist of", scene.deprecated())


@scenario()
def crs_44_a_resource_that_cannot_be_read_and_one_that_can(scene):
    scene.cluster()
    scene.map(data="a: [")
    scene.secret("s1", scene.manifest("b"))
    scene.start()
    scene.set(resources=("ConfigMap/cm1", "Secret/s1"))
    scene.await_condition(NOT_APPLIED)
    until("the entry", lambda: scene.entry() == "ConfigMap/cm1 false, Secret/s1 true hash")
    check_equal("b", scene.value("b"), "1")


@scenario()
def crs_45_one_of_two_clusters_fails(scene):
    scene.cluster("c1", scene.blue)
    scene.cluster("c2", scene.green)
    scene.green.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "immutable": True, "metadata": {
        "name": "a", "namespace": scene.namespace}, "data": {"k": "fixed"}})
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(strategy="Reconcile")
    scene.await_condition(NOT_APPLIED)
    check_in("v1beta1", f"patching object /v1, Kind=ConfigMap {scene.namespace}/a: ", scene.deprecated())
    check_in("v1beta1", "field is immutable when `immutable` is set", scene.deprecated())
    until("c1", lambda: scene.entry("c1") == "ConfigMap/cm1 true hash")
    check_equal("c2", scene.entry("c2"), "ConfigMap/cm1 false hash")
    check_equal("a on c1", scene.value("a"), "1")


@scenario()
def crs_46_a_resource_that_is_added_is_applied_everywhere(scene):
    scene.cluster("c2", scene.green)
    scene.ready()
    scene.map("cm2", scene.manifest("c"))
    scene.management.patch("ClusterResourceSet", scene.namespace, "crs1", {"spec": {"resources": [
        {"kind": "ConfigMap", "name": "cm1"}, {"kind": "Secret", "name": "s1"},
        {"kind": "ConfigMap", "name": "cm2"}]}})
    for cluster, workload in (("c1", scene.blue), ("c2", scene.green)):
        until(f"the entry of {cluster}", lambda cluster=cluster: scene.entry(cluster) ==
              "ConfigMap/cm1 true hash, Secret/s1 true hash, ConfigMap/cm2 true hash")
        check_equal("c", scene.value("c", workload), "1")
    scene.await_settled()


@scenario()
def crs_47_a_resource_that_is_removed_stays_where_it_is(scene):
    scene.ready()
    scene.management.patch("ClusterResourceSet", scene.namespace, "crs1", {"spec": {"resources": [
        {"kind": "ConfigMap", "name": "cm1"}]}})
    scene.await_settled()
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash, Secret/s1 true hash")
    check_equal("b", scene.value("b"), "1")


@scenario()
def crs_79_two_sets_with_the_same_object(scene):
    scene.cluster()
    scene.map("cm1", scene.manifest("a", "first"))
    scene.map("cm2", scene.manifest("a", "second"))
    scene.start()
    scene.set("crs1")
    scene.await_applied("crs1")
    scene.set("crs2", resources=("ConfigMap/cm2",))
    scene.await_applied("crs2")
    check_equal("the object", scene.value(), "first")
    check_equal("entries", [scene.entry(name="crs1"), scene.entry(name="crs2")],
                ["ConfigMap/cm1 true hash", "ConfigMap/cm2 true hash"])
