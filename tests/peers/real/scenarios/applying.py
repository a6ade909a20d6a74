"""CRS-13, CRS-30 to CRS-47, CRS-79, RA-07: what is applied when, and what the binding says of it."""
import time

from lib.audit import summary
from lib.kube import until
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario

VECTOR = "metadata:\n name: resource-configmap\n namespace: default\nkind: ConfigMap\napiVersion: v1"
VECTOR_HASH = "sha256:e385c6897ab8e3ff1be042d3797f4b7c2e4f39482d6c17c3a39b22efa04a682d"
NOT_APPLIED = "False/NotApplied/Failed to apply ClusterResourceSet resources to Cluster"
BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Not_A_Name\n  namespace: "


def begin(fixture, strategy, text=None, *flags):
    """c1 with crs1, which has cm1 alone."""
    fixture.cluster()
    fixture.map(data=text or fixture.manifest())
    fixture.start(*flags)
    fixture.set(strategy=strategy)


def with_entry(fixture, strategy, applied, digest="sha256:0"):
    """The same with a binding that is there before."""
    fixture.management.create({
        "kind": "ClusterResourceSetBinding", "apiVersion": "addons.cluster.x-k8s.io/v1beta2",
        "metadata": {"name": "c1", "namespace": fixture.namespace},
        "spec": {"clusterName": "c1", "bindings": [{"clusterResourceSetName": "crs1", "resources": [
            {"kind": "ConfigMap", "name": "cm1", "applied": applied, "hash": digest,
             "lastAppliedTime": "2026-01-01T00:00:00Z"}]}]}})
    begin(fixture, strategy)


def await_hash_change(fixture, before):
    until("the entry has another hash", lambda: fixture.raw_entry()["resources"][0]["hash"] != before)


def hash_of(fixture):
    return fixture.raw_entry()["resources"][0]["hash"]


@scenario()
def crs_13_everything_is_applied(fixture):
    fixture.ready()
    check_equal("a", fixture.value("a"), "1")
    check_equal("b", fixture.value("b"), "1")
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash, Secret/s1 true hash")
    check_equal("entries", len(fixture.get_binding()["spec"]["bindings"]), 1)
    check_equal("clusterName", fixture.get_binding()["spec"]["clusterName"], "c1")
    check_equal("the condition", fixture.condition(), "True/Applied/")
    check_equal("v1beta1", fixture.deprecated(), "True///")
    status = fixture.get_set()["status"]
    check_equal("observedGeneration", status["observedGeneration"], 1)
    # The server drops what its schema does not know; the framework's conditions are still there.
    check_equal("conditions", [one["type"] for one in status["conditions"]],
                ["Failed", "InProgress", "ResourcesApplied", "Paused"])
    check_equal("InProgress", fixture.condition("InProgress"), "False/Succeeded/")
    check_equal("Failed", fixture.condition("Failed"), "False/Succeeded/")


@scenario()
def crs_30_apply_once_posts_and_records(fixture):
    begin(fixture, "ApplyOnce", VECTOR)
    fixture.await_applied()
    check_equal("requests", [one["verb"] for one in fixture.blue.requests(resource="configmaps")], ["create"])
    check_equal("hash", hash_of(fixture), VECTOR_HASH)
    check_equal("form of the time", fixture.raw_entry()["resources"][0]["lastAppliedTime"][-1], "Z")
    fixture.blue.admin.delete("ConfigMap", "default", "resource-configmap")


@scenario()
def crs_31_what_was_applied_once_stays_as_it_is(fixture):
    begin(fixture, "ApplyOnce")
    fixture.await_settled()
    before = fixture.raw_entry()
    fixture.blue.audit.mark()
    for text in (fixture.manifest("a", "2"), "a: ["):
        fixture.change_map("cm1", text)
        time.sleep(2)
    check_equal("requests", summary(fixture.blue.requests()), [])
    check_equal("the entry", fixture.raw_entry(), before)
    check_equal("the object", fixture.value(), "1")


@scenario()
def crs_32_what_failed_before_is_applied_again(fixture):
    with_entry(fixture, "ApplyOnce", False)
    fixture.await_applied()
    check_equal("the object", fixture.value(), "1")
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_33_what_exists_counts_as_applied(fixture):
    fixture.blue.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {
        "name": "a", "namespace": fixture.namespace}, "data": {"k": "other"}})
    begin(fixture, "ApplyOnce")
    fixture.await_applied()
    check_equal("the object", fixture.value(), "other")
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_34_what_was_applied_once_is_not_made_again(fixture):
    begin(fixture, "ApplyOnce")
    fixture.await_settled()
    fixture.blue.admin.delete("ConfigMap", fixture.namespace, "a")
    fixture.check_quiet()
    check("not there", fixture.live() is None)


@scenario()
def crs_35_reconcile_makes_what_is_absent(fixture):
    begin(fixture, "Reconcile")
    fixture.await_applied()
    check_equal("the object", fixture.value(), "1")
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_36_reconcile_applies_what_failed_before(fixture):
    with_entry(fixture, "Reconcile", False)
    fixture.await_applied()
    check_equal("the object", fixture.value(), "1")


@scenario()
def crs_37_the_same_hash_sends_nothing(fixture):
    begin(fixture, "Reconcile")
    fixture.await_settled()
    fixture.check_quiet()


@scenario()
def crs_38_a_changed_manifest_is_applied(fixture):
    begin(fixture, "Reconcile")
    fixture.await_settled()
    before = hash_of(fixture)
    fixture.blue.audit.mark()
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    await_hash_change(fixture, before)
    check_equal("the object", fixture.value(), "2")
    check_equal("the manifest is applied", [one["requestObject"] for one in fixture.blue.writes()], [{
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": fixture.namespace},
        "data": {"k": "2"}}])
    check_in("its manager", f"?fieldManager=corset%3A{fixture.namespace}%2Fcrs1", fixture.blue.writes()[0]["requestURI"])


@scenario()
def ra_07_who_wants_merge_patches_gets_them(fixture):
    begin(fixture, "Reconcile", None, "--reconcile-with", "merge-patch")
    fixture.await_settled()
    before = hash_of(fixture)
    fixture.blue.admin.patch("ConfigMap", fixture.namespace, "a", {"data": {"more": "x"}})
    fixture.blue.audit.mark()
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    await_hash_change(fixture, before)
    check_equal("data", fixture.live()["data"], {"k": "2"})
    check_equal("the patch", [one["requestObject"] for one in fixture.blue.writes()], [{
        "data": {"k": "2", "more": None}}])


@scenario()
def crs_39_all_objects_of_a_changed_resource_are_applied(fixture):
    def text(value):
        return "---\n".join([fixture.manifest("a"), fixture.manifest("b", value), fixture.manifest("c")])
    begin(fixture, "Reconcile", text("1"))
    fixture.await_settled()
    before = hash_of(fixture)
    fixture.blue.audit.mark()
    fixture.change_map("cm1", text("2"))
    await_hash_change(fixture, before)
    check_equal("a request each", [(one["verb"], one["objectRef"]["name"]) for one in fixture.blue.requests(
        resource="configmaps")], [("patch", "a"), ("patch", "b"), ("patch", "c")])
    check_equal("b", fixture.value("b"), "2")


@scenario()
def crs_40_what_somebody_deleted_is_made_anew(fixture):
    begin(fixture, "Reconcile")
    fixture.await_settled()
    before = hash_of(fixture)
    fixture.blue.admin.delete("ConfigMap", fixture.namespace, "a")
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    await_hash_change(fixture, before)
    check_equal("the object", fixture.value(), "2")


@scenario()
def crs_41_a_key_that_is_gone_goes(fixture):
    begin(fixture, "Reconcile", fixture.manifest() + "  more: x\n")
    fixture.await_settled()
    before = hash_of(fixture)
    check_equal("data", fixture.live()["data"], {"k": "1", "more": "x"})
    fixture.change_map("cm1", fixture.manifest())
    await_hash_change(fixture, before)
    check_equal("data", fixture.live()["data"], {"k": "1"})


@scenario()
def crs_42_an_object_that_is_no_longer_named_stays(fixture):
    begin(fixture, "Reconcile", fixture.manifest() + "---\n" + fixture.manifest("b"))
    fixture.await_settled()
    before = hash_of(fixture)
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    await_hash_change(fixture, before)
    check_equal("a", fixture.value("a"), "2")
    check_equal("b", fixture.value("b"), "1")


@scenario()
def crs_43_one_object_fails_and_the_other_is_applied(fixture):
    begin(fixture, "ApplyOnce", BROKEN + fixture.namespace + "\n---\n" + fixture.manifest())
    fixture.await_condition(NOT_APPLIED)
    until("the other one is there", lambda: fixture.value() == "1")
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 false hash")
    check_in("v1beta1", "False/ApplyFailed/Warning/", fixture.deprecated())
    check_in("v1beta1", f"creating object /v1, Kind=ConfigMap {fixture.namespace}/Not_A_Name: ConfigMap "
             '"Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 '
             "subdomain must consist of", fixture.deprecated())


@scenario()
def crs_44_a_resource_that_cannot_be_read_and_one_that_can(fixture):
    fixture.cluster()
    fixture.map(data="a: [")
    fixture.secret("s1", fixture.manifest("b"))
    fixture.start()
    fixture.set(resources=("ConfigMap/cm1", "Secret/s1"))
    fixture.await_condition(NOT_APPLIED)
    until("the entry", lambda: fixture.entry() == "ConfigMap/cm1 false, Secret/s1 true hash")
    check_equal("b", fixture.value("b"), "1")


@scenario()
def crs_45_one_of_two_clusters_fails(fixture):
    fixture.cluster("c1", fixture.blue)
    fixture.cluster("c2", fixture.green)
    fixture.green.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "immutable": True, "metadata": {
        "name": "a", "namespace": fixture.namespace}, "data": {"k": "fixed"}})
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(strategy="Reconcile")
    fixture.await_condition(NOT_APPLIED)
    check_in("v1beta1", f"applying object /v1, Kind=ConfigMap {fixture.namespace}/a: ", fixture.deprecated())
    check_in("v1beta1", "field is immutable when `immutable` is set", fixture.deprecated())
    until("c1", lambda: fixture.entry("c1") == "ConfigMap/cm1 true hash")
    check_equal("c2", fixture.entry("c2"), "ConfigMap/cm1 false hash")
    check_equal("a on c1", fixture.value("a"), "1")


@scenario()
def crs_46_a_resource_that_is_added_is_applied_everywhere(fixture):
    fixture.cluster("c2", fixture.green)
    fixture.ready()
    fixture.map("cm2", fixture.manifest("c"))
    fixture.management.patch("ClusterResourceSet", fixture.namespace, "crs1", {"spec": {"resources": [
        {"kind": "ConfigMap", "name": "cm1"}, {"kind": "Secret", "name": "s1"},
        {"kind": "ConfigMap", "name": "cm2"}]}})
    for cluster, workload in (("c1", fixture.blue), ("c2", fixture.green)):
        until(f"the entry of {cluster}", lambda cluster=cluster: fixture.entry(cluster) ==
              "ConfigMap/cm1 true hash, Secret/s1 true hash, ConfigMap/cm2 true hash")
        check_equal("c", fixture.value("c", workload), "1")
    fixture.await_settled()


@scenario()
def crs_47_a_resource_that_is_removed_stays_where_it_is(fixture):
    fixture.ready()
    fixture.management.patch("ClusterResourceSet", fixture.namespace, "crs1", {"spec": {"resources": [
        {"kind": "ConfigMap", "name": "cm1"}]}})
    fixture.await_settled()
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash, Secret/s1 true hash")
    check_equal("b", fixture.value("b"), "1")


@scenario()
def crs_79_two_sets_with_the_same_object(fixture):
    fixture.cluster()
    fixture.map("cm1", fixture.manifest("a", "first"))
    fixture.map("cm2", fixture.manifest("a", "second"))
    fixture.start()
    fixture.set("crs1")
    fixture.await_applied("crs1")
    fixture.set("crs2", resources=("ConfigMap/cm2",))
    fixture.await_applied("crs2")
    check_equal("the object", fixture.value(), "first")
    check_equal("entries", [fixture.entry(name="crs1"), fixture.entry(name="crs2")],
                ["ConfigMap/cm1 true hash", "ConfigMap/cm2 true hash"])
