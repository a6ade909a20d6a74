"""FL-44: FL-32, FL-33 and FL-40 on real servers: what was taken out of a set is deleted, and nothing else."""
import time

from lib.kube import until
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario
from scenarios.delivering import begin, entries, record

REMOVED = {"when": ["Removed"]}
DELETED = {"when": ["Deleted"], "maxClusters": "100%", "maxObjects": 1000}
MOVE = "clusterctl.cluster.x-k8s.io/delete-for-move"


def deletes(fixture):
    """Names of what the workload cluster was asked to delete."""
    return sorted(one["objectRef"]["name"] for one in fixture.blue.writes() if one["verb"] == "delete")


@scenario()
def fl_32_what_was_taken_out_is_deleted(fixture):
    begin(fixture, fixture.manifest("a") + "---\n" + fixture.manifest("b"), prune=REMOVED)
    fixture.await_condition("True/NothingLeft", "Pruned")
    fixture.mark_all()
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    until("b is gone", lambda: fixture.live("b") is None, 60)
    fixture.await_condition("True/NothingLeft", "Pruned")
    check_equal("a", fixture.value("a"), "2")
    check_equal("deletes", deletes(fixture), ["b"])
    check_equal("the record", record(fixture)["state"], "Ready")
    time.sleep(3)
    check_equal("deletes at rest", deletes(fixture), ["b"])


@scenario()
def fl_33_what_has_the_label_and_no_entry_of_ours_is_never_deleted(fixture):
    begin(fixture, fixture.manifest("a") + "---\n" + fixture.manifest("b"), prune=REMOVED)
    fixture.await_condition("True/NothingLeft", "Pruned")
    fixture.blue.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {
        "name": "child", "namespace": fixture.namespace, "labels": {"corset.dev/managed": "true"}}})
    fixture.mark_all()
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    until("b is gone", lambda: fixture.live("b") is None, 60)
    fixture.await_condition("True/NothingLeft", "Pruned")
    check("the child stays", fixture.live("child") is not None)
    check_equal("deletes", deletes(fixture), ["b"])


@scenario()
def fl_34_what_another_set_claims_too_is_given_up(fixture):
    begin(fixture, fixture.manifest("a") + "---\n" + fixture.manifest("b"), prune=REMOVED)
    fixture.map("cm2", fixture.manifest("b"))
    fixture.set("crs2", ("ConfigMap/cm2",), strategy="Reconcile", annotations={"corset.dev/policy": "p"})
    fixture.await_settled("crs2")
    fixture.mark_all()
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    until("crs1 gave it up", lambda: f"corset:{fixture.namespace}/crs1 Apply" not in entries(fixture.live("b")), 60)
    check_in("the other owner", f"corset:{fixture.namespace}/crs2 Apply", entries(fixture.live("b")))
    check_equal("b", fixture.value("b"), "1")
    check_equal("deletes", deletes(fixture), [])


@scenario()
def fl_40_a_set_that_is_moved_deletes_nothing(fixture):
    begin(fixture, fixture.manifest("a"), prune=DELETED)
    fixture.mark_all()
    fixture.management.patch("ClusterResourceSet", fixture.namespace, "crs1", {"metadata": {"annotations": {MOVE: ""}}})
    fixture.management.delete("ClusterResourceSet", fixture.namespace, "crs1")
    until("the set is gone", lambda: fixture.get_set() is None, 60)
    check_equal("a", fixture.value("a"), "1")
    check_equal("deletes", deletes(fixture), [])


@scenario()
def fl_40_a_set_whose_clusters_are_paused_deletes_nothing(fixture):
    begin(fixture, fixture.manifest("a"), prune=DELETED)
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"spec": {"paused": True}})
    time.sleep(1)
    fixture.mark_all()
    fixture.management.delete("ClusterResourceSet", fixture.namespace, "crs1")
    until("the set is gone", lambda: fixture.get_set() is None, 60)
    check_equal("a", fixture.value("a"), "1")
    check_equal("deletes", deletes(fixture), [])
