"""CRS-48 to CRS-57, CRS-81, FW-106: sets, bindings and clusters that go."""
import time

from lib.kube import MERGE, until
from lib.proxy import Proxy
from lib.fixture import GROUP, check, check_equal
from lib.scenario import scenario


def delete_set(fixture, name="crs1"):
    fixture.management.delete("ClusterResourceSet", fixture.namespace, name)
    until(f"{name} is gone", lambda: fixture.get_set(name) is None)


def binding(fixture, cluster, *sets):
    return {"kind": "ClusterResourceSetBinding", "apiVersion": GROUP,
            "metadata": {"name": cluster, "namespace": fixture.namespace},
            "spec": {"clusterName": cluster, "bindings": [{"clusterResourceSetName": name} for name in sets]}}


@scenario()
def crs_48_without_a_binding_the_set_goes(fixture):
    fixture.ready()
    fixture.management.delete("ClusterResourceSetBinding", fixture.namespace, "c1")
    delete_set(fixture)


@scenario()
def crs_49_the_other_set_keeps_its_entry(fixture):
    fixture.ready()
    fixture.map("cm2", fixture.manifest("c"))
    fixture.set("crs2", resources=("ConfigMap/cm2",))
    fixture.await_applied("crs2")
    delete_set(fixture)
    left = fixture.get_binding()
    check_equal("entries", [one["clusterResourceSetName"] for one in left["spec"]["bindings"]], ["crs2"])
    check_equal("owners", [one["name"] for one in left["metadata"]["ownerReferences"]], ["crs2"])


@scenario()
def crs_50_the_binding_goes_with_its_last_set(fixture):
    fixture.ready()
    delete_set(fixture)
    until("the binding is gone", lambda: fixture.get_binding() is None)
    check_equal("the object stays", fixture.value(), "1")


@scenario()
def crs_51_a_missing_binding_does_not_end_the_cleaning(fixture):
    for name in ("c1", "c2", "c3"):
        fixture.cluster(name)
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_settled()
    fixture.management.delete("ClusterResourceSetBinding", fixture.namespace, "c1")
    delete_set(fixture)
    for name in ("c2", "c3"):
        until(f"the binding of {name} is gone", lambda name=name: fixture.get_binding(name) is None)


@scenario()
def crs_52_a_cluster_without_the_label_is_cleaned_too(fixture):
    fixture.ready()
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"metadata": {"labels": {"cni": None}}})
    time.sleep(1)
    delete_set(fixture)
    until("the binding is gone", lambda: fixture.get_binding() is None)


@scenario()
def crs_53_a_set_goes_while_a_cluster_cannot_be_reached(fixture):
    proxy = Proxy(fixture.blue.port)
    fixture.cluster(url=proxy.url)
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_settled()
    proxy.set_mode(Proxy.REFUSE)
    delete_set(fixture)
    until("the binding is gone", lambda: fixture.get_binding() is None)


@scenario()
def fw_106_bindings_are_cleaned_while_a_cluster_is_unreachable(fixture):
    proxy = Proxy(fixture.green.port)
    proxy.set_mode(Proxy.REFUSE)
    fixture.cluster("c2", fixture.green, url=proxy.url)
    fixture.cluster("c1")
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    until("c1 is applied", lambda: fixture.entry("c1") == "ConfigMap/cm1 true hash")
    until("c2 has an entry", lambda: fixture.entry("c2") == "")
    delete_set(fixture)
    for name in ("c1", "c2"):
        until(f"the binding of {name} is gone", lambda name=name: fixture.get_binding(name) is None)


@scenario()
def crs_54_a_conflict_is_tried_again_and_nothing_is_lost(fixture):
    """Another writer changes the binding all the time while entries of ours come and go."""
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.management.create(binding(fixture, "c1", "foreign"))
    end = time.monotonic() + 6
    changes, sets = 0, 0
    while time.monotonic() < end:
        fixture.management.patch("ClusterResourceSetBinding", fixture.namespace, "c1", {
            "metadata": {"annotations": {"scenario/change": str(changes)}}}, content_type=MERGE)
        changes += 1
        if changes % 20 == 0:
            sets += 1
            fixture.set(f"crs{sets}")
    for number in range(1, sets + 1):
        fixture.await_applied(f"crs{number}")
    names = [one["clusterResourceSetName"] for one in fixture.get_binding()["spec"]["bindings"]]
    check_equal("entries", sorted(names), sorted(["foreign", *(f"crs{number}" for number in range(1, sets + 1))]))
    conflicts = [one for one in fixture.audit.writes(namespace=fixture.namespace, resource="clusterresourcesetbindings")
                 if one["responseStatus"]["code"] == 409]
    errors = fixture.controller.metric("controller_runtime_reconcile_errors_total", controller="clusterresourceset")
    check_equal("errors counted", errors or 0, 0)
    fixture.tell(f"{changes} changes of another writer, {sets} sets, {len(conflicts)} conflicts")


@scenario()
def crs_55_a_binding_goes_when_its_cluster_is_going(fixture):
    fixture.ready()
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"metadata": {"finalizers": ["example.com/mine"]}})
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    until("the binding is gone", lambda: fixture.get_binding() is None)
    check("the cluster lingers", fixture.management.get("Cluster", fixture.namespace, "c1") is not None)


@scenario()
def crs_56_a_binding_of_a_topology_cluster_waits_for_the_hooks(fixture):
    fixture.cluster(topology={"classRef": {"name": "x"}, "version": "v1.36.4"})
    fixture.map(data=fixture.manifest())
    fixture.start("--respect-topology-hooks")
    fixture.set()
    fixture.await_settled()
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"metadata": {"finalizers": ["example.com/mine"]}})
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    time.sleep(2)
    check("the binding is kept", fixture.get_binding() is not None)
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"metadata": {"annotations": {
        "runtime.cluster.x-k8s.io/ok-to-delete": ""}}})
    until("the binding is gone", lambda: fixture.get_binding() is None)


@scenario()
def crs_57_a_binding_of_nobody_is_deleted(fixture):
    fixture.start()
    fixture.management.create(binding(fixture, "nobody", "crs1"))
    until("the binding is gone", lambda: fixture.get_binding("nobody") is None)


@scenario(needs=("kube-controller-manager",))
def crs_50_the_garbage_collector_takes_the_resources(fixture):
    """The side effect of the owner references that is named in the specification."""
    fixture.ready()
    delete_set(fixture)
    until("cm1 is gone", lambda: fixture.management.get("ConfigMap", fixture.namespace, "cm1") is None, 60)
    until("s1 is gone", lambda: fixture.management.get("Secret", fixture.namespace, "s1") is None, 60)


@scenario()
def crs_81_a_set_that_was_made_anew_takes_over(fixture):
    """An owner of another kind keeps the garbage collector away from cm1."""
    fixture.ready()
    keeper = fixture.map("keeper", {"a": "b"})
    fixture.management.patch("ConfigMap", fixture.namespace, "cm1", {"metadata": {"ownerReferences": [
        *fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"]["ownerReferences"],
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "keeper", "uid": keeper["metadata"]["uid"]}]}})
    old = fixture.get_set()["metadata"]["uid"]
    fixture.blue.admin.delete("ConfigMap", fixture.namespace, "a")
    delete_set(fixture)
    fixture.set()
    fixture.await_settled()
    new = fixture.get_set()["metadata"]["uid"]
    check("it is another set", new != old)
    owners = fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"]["ownerReferences"]
    check_equal("owners of cm1", sorted((one["name"], one["uid"]) for one in owners),
                sorted([("crs1", new), ("keeper", keeper["metadata"]["uid"])]))
    check_equal("owners of the binding", [one["uid"] for one in fixture.get_binding()["metadata"]["ownerReferences"]],
                [new])
    check_equal("applied again", fixture.value(), "1")
