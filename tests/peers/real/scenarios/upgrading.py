"""Taking over from Cluster API: what its manager wrote, in both versions, leads to no write to a workload cluster."""
import hashlib
import time

from lib.audit import summary
from lib.kube import MERGE, path_of, until
from lib.fixture import GROUP, SELECTED, check, check_equal
from lib.scenario import scenario

OLD = "addons.cluster.x-k8s.io/v1beta1"
MANAGER = {"fieldManager": "manager"}
THEN = "2025-11-03T10:15:00Z"


def place(kind, fixture, name=None, version="v1beta2", subresource=None):
    return path_of(kind, fixture.namespace, name, subresource).replace("/v1beta2/", f"/{version}/")


def write_set(fixture, version, strategy, status):
    """A set as the manager leaves it: finalizer, status of a good pass. Returns its uid."""
    made = fixture.management.ask("POST", place("ClusterResourceSet", fixture, version=version), {
        "kind": "ClusterResourceSet", "apiVersion": f"addons.cluster.x-k8s.io/{version}",
        "metadata": {"name": "crs1", "finalizers": ["addons.cluster.x-k8s.io"]},
        "spec": {"clusterSelector": {"matchLabels": SELECTED}, "strategy": strategy, "resources": [
            {"kind": "ConfigMap", "name": "cm1"}, {"kind": "Secret", "name": "s1"}]}}, query=MANAGER)
    fixture.management.ask("PATCH", place("ClusterResourceSet", fixture, "crs1", version, "status"), {"status": status},
                         content_type=MERGE, query=MANAGER)
    return made["metadata"]["uid"]


def write_binding(fixture, version, uid, texts, with_cluster):
    """One entry with both resources applied; releases before v1.4 also made the Cluster an owner."""
    owners = [{"apiVersion": f"addons.cluster.x-k8s.io/{version}", "kind": "ClusterResourceSet", "name": "crs1",
               "uid": uid}]
    if with_cluster:
        cluster = fixture.management.get("Cluster", fixture.namespace, "c1")["metadata"]["uid"]
        owners.append({"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "name": "c1", "uid": cluster})
    fixture.management.ask("POST", place("ClusterResourceSetBinding", fixture, version=version), {
        "kind": "ClusterResourceSetBinding", "apiVersion": f"addons.cluster.x-k8s.io/{version}",
        "metadata": {"name": "c1", "ownerReferences": owners},
        "spec": {"clusterName": "c1", "bindings": [{"clusterResourceSetName": "crs1", "resources": [
            {"kind": kind, "name": name, "applied": True, "lastAppliedTime": THEN,
             "hash": "sha256:" + hashlib.sha256(text.encode()).hexdigest()}
            for (kind, name), text in texts.items()]}]}}, query=MANAGER)
    for kind, name in texts:
        fixture.management.patch(kind, fixture.namespace, name, {"metadata": {"ownerReferences": owners[:1]}},
                               query=MANAGER)


def taken_over(fixture, version, strategy, status, with_cluster=False):
    texts = {("ConfigMap", "cm1"): fixture.manifest("a"), ("Secret", "s1"): fixture.manifest("b")}
    fixture.cluster()
    fixture.map("cm1", texts["ConfigMap", "cm1"])
    fixture.secret("s1", texts["Secret", "s1"])
    for name in ("a", "b"):  # "b" was changed by people afterwards, which is theirs to keep
        fixture.blue.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {
            "name": name, "namespace": fixture.namespace}, "data": {"k": "1" if name == "a" else "mine"}}, query=MANAGER)
    uid = write_set(fixture, version, strategy, status)
    write_binding(fixture, version, uid, texts, with_cluster)
    entry = fixture.raw_entry()
    fixture.audit.mark()
    fixture.start()
    until("it looked at the set", lambda: fixture.controller.metric(
        "controller_runtime_reconcile_total", controller="clusterresourceset", result="success"))
    fixture.await_settled()
    time.sleep(3)
    check_equal("requests to the workload cluster", summary(fixture.blue.requests(resource="configmaps")), [])
    check_equal("writes to the workload cluster", summary(fixture.blue.writes()), [])
    check_equal("the entry", fixture.raw_entry(), entry)
    check_equal("b", fixture.value("b"), "mine")
    writes = fixture.audit.writes(namespace=fixture.namespace)
    kinds = [one["objectRef"]["resource"] for one in writes]
    fixture.tell(f"{version}, {strategy}: no write to the workload cluster; to the management cluster: "
               f"{', '.join(f'{kinds.count(kind)} {kind}' for kind in sorted(set(kinds))) or 'none'}")
    check("few writes to the management cluster", len(writes) <= 8)
    fixture.check_quiet()
    return uid


def conditions(*more):
    return [{"type": "ResourcesApplied", "status": "True", "reason": "Applied", "message": "", "lastTransitionTime": THEN,
             "observedGeneration": 1},
            {"type": "Paused", "status": "False", "reason": "NotPaused", "message": "", "lastTransitionTime": THEN,
             "observedGeneration": 1}, *more]


NEW_STATUS = {"observedGeneration": 1, "conditions": conditions(),
              "deprecated": {"v1beta1": {"conditions": [
                  {"type": "ResourcesApplied", "status": "True", "lastTransitionTime": THEN}]}}}
OLD_STATUS = {"observedGeneration": 1,
              "conditions": [{"type": "ResourcesApplied", "status": "True", "lastTransitionTime": THEN}],
              "v1beta2": {"conditions": conditions()}}


def check_times(fixture):
    """What did not change keeps its time."""
    for one in fixture.get_set()["status"]["conditions"]:
        if one["type"] in ("ResourcesApplied", "Paused"):
            check_equal(f"lastTransitionTime of {one['type']}", one["lastTransitionTime"], THEN)


@scenario()
def upgrade_v1beta2_apply_once(fixture):
    taken_over(fixture, "v1beta2", "ApplyOnce", NEW_STATUS)
    check_times(fixture)


@scenario()
def upgrade_v1beta2_reconcile(fixture):
    taken_over(fixture, "v1beta2", "Reconcile", NEW_STATUS)
    check_times(fixture)


@scenario()
def upgrade_v1beta1_apply_once(fixture):
    uid = taken_over(fixture, "v1beta1", "ApplyOnce", OLD_STATUS, with_cluster=True)
    wanted = [{"apiVersion": GROUP, "kind": "ClusterResourceSet", "name": "crs1", "uid": uid}]
    check_equal("owners of cm1", fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"][
        "ownerReferences"], wanted)
    owners = fixture.get_binding()["metadata"]["ownerReferences"]
    check_equal("owners of the binding", [one["kind"] for one in owners], ["ClusterResourceSet", "Cluster"])
    check_equal("ours", owners[0], wanted[0])


@scenario()
def upgrade_v1beta1_reconcile(fixture):
    taken_over(fixture, "v1beta1", "Reconcile", OLD_STATUS)


@scenario()
def upgrade_and_then_a_change(fixture):
    """What was taken over is worked on as if it had always been ours."""
    taken_over(fixture, "v1beta2", "Reconcile", NEW_STATUS)
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    until("a is 2", lambda: fixture.value() == "2")
    fixture.await_settled()
