"""CRS-48 to CRS-57, CRS-81, FW-106: sets, bindings and clusters that go."""
import time

from lib.kube import MERGE, until
from lib.proxy import Proxy
from lib.scene import GROUP, check, check_equal
from lib.scenario import scenario


def delete_set(scene, name="crs1"):
    scene.management.delete("ClusterResourceSet", scene.namespace, name)
    until(f"{name} is gone", lambda: scene.get_set(name) is None)


def binding(scene, cluster, *sets):
    return {"kind": "ClusterResourceSetBinding", "apiVersion": GROUP,
            "metadata": {"name": cluster, "namespace": scene.namespace},
            "spec": {"clusterName": cluster, "bindings": [{"clusterResourceSetName": name} for name in sets]}}


@scenario()
def crs_48_without_a_binding_the_set_goes(scene):
    scene.ready()
    scene.management.delete("ClusterResourceSetBinding", scene.namespace, "c1")
    delete_set(scene)


@scenario()
def crs_49_the_other_set_keeps_its_entry(scene):
    scene.ready()
    scene.map("cm2", scene.manifest("c"))
    scene.set("crs2", resources=("ConfigMap/cm2",))
    scene.await_applied("crs2")
    delete_set(scene)
    left = scene.get_binding()
    check_equal("entries", [one["clusterResourceSetName"] for one in left["spec"]["bindings"]], ["crs2"])
    check_equal("owners", [one["name"] for one in left["metadata"]["ownerReferences"]], ["crs2"])


@scenario()
def crs_50_the_binding_goes_with_its_last_set(scene):
    scene.ready()
    delete_set(scene)
    until("the binding is gone", lambda: scene.get_binding() is None)
    check_equal("the object stays", scene.value(), "1")


@scenario()
def crs_51_a_missing_binding_does_not_end_the_cleaning(scene):
    for name in ("c1", "c2", "c3"):
        scene.cluster(name)
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_settled()
    scene.management.delete("ClusterResourceSetBinding", scene.namespace, "c1")
    delete_set(scene)
    for name in ("c2", "c3"):
        until(f"the binding of {name} is gone", lambda name=name: scene.get_binding(name) is None)


@scenario()
def crs_52_a_cluster_without_the_label_is_cleaned_too(scene):
    scene.ready()
    scene.management.patch("Cluster", scene.namespace, "c1", {"metadata": {"labels": {"cni": None}}})
    time.sleep(1)
    delete_set(scene)
    until("the binding is gone", lambda: scene.get_binding() is None)


@scenario()
def crs_53_a_set_goes_while_a_cluster_cannot_be_reached(scene):
    proxy = Proxy(scene.blue.port)
    scene.cluster(url=proxy.url)
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_settled()
    proxy.set_mode(Proxy.REFUSE)
    delete_set(scene)
    until("the binding is gone", lambda: scene.get_binding() is None)


@scenario()
def fw_106_bindings_are_cleaned_while_a_cluster_is_unreachable(scene):
    proxy = Proxy(scene.green.port)
    proxy.set_mode(Proxy.REFUSE)
    scene.cluster("c2", scene.green, url=proxy.url)
    scene.cluster("c1")
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    until("c1 is applied", lambda: scene.entry("c1") == "ConfigMap/cm1 true hash")
    until("c2 has an entry", lambda: scene.entry("c2") == "")
    delete_set(scene)
    for name in ("c1", "c2"):
        until(f"the binding of {name} is gone", lambda name=name: scene.get_binding(name) is None)


@scenario()
def crs_54_a_conflict_is_tried_again_and_nothing_is_lost(scene):
    """Another writer changes the binding all the time while entries of ours come and go."""
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.start()
    scene.management.create(binding(scene, "c1", "foreign"))
    end = time.monotonic() + 6
    changes, sets = 0, 0
    while time.monotonic() < end:
        scene.management.patch("ClusterResourceSetBinding", scene.namespace, "c1", {
            "metadata": {"annotations": {"scenario/change": str(changes)}}}, content_type=MERGE)
        changes += 1
        if changes % 20 == 0:
            sets += 1
            scene.set(f"crs{sets}")
    for number in range(1, sets + 1):
        scene.await_applied(f"crs{number}")
    names = [one["clusterResourceSetName"] for one in scene.get_binding()["spec"]["bindings"]]
    check_equal("entries", sorted(names), sorted(["foreign", *(f"crs{number}" for number in range(1, sets + 1))]))
    conflicts = [one for one in scene.audit.writes(namespace=scene.namespace, resource="clusterresourcesetbindings")
                 if one["responseStatus"]["code"] == 409]
    errors = scene.controller.metric("controller_runtime_reconcile_errors_total", controller="clusterresourceset")
    check_equal("errors counted", errors or 0, 0)
    scene.tell(f"{changes} changes of another writer, {sets} sets, {len(conflicts)} conflicts")


@scenario()
def crs_55_a_binding_goes_when_its_cluster_is_going(scene):
    scene.ready()
    scene.management.patch("Cluster", scene.namespace, "c1", {"metadata": {"finalizers": ["example.com/mine"]}})
    scene.management.delete("Cluster", scene.namespace, "c1")
    until("the binding is gone", lambda: scene.get_binding() is None)
    check("the cluster lingers", scene.management.get("Cluster", scene.namespace, "c1") is not None)


@scenario()
def crs_56_a_binding_of_a_topology_cluster_waits_for_the_hooks(scene):
    scene.cluster(topology={"classRef": {"name": "x"}, "version": "v1.36.4"})
    scene.map(data=scene.manifest())
    scene.start("--respect-topology-hooks")
    scene.set()
    scene.await_settled()
    scene.management.patch("Cluster", scene.namespace, "c1", {"metadata": {"finalizers": ["example.com/mine"]}})
    scene.management.delete("Cluster", scene.namespace, "c1")
    time.sleep(2)
    check("the binding is kept", scene.get_binding() is not None)
    scene.management.patch("Cluster", scene.namespace, "c1", {"metadata": {"annotations": {
        "runtime.cluster.x-k8s.io/ok-to-delete": ""}}})
    until("the binding is gone", lambda: scene.get_binding() is None)


@scenario()
def crs_57_a_binding_of_nobody_is_deleted(scene):
    scene.start()
    scene.management.create(binding(scene, "nobody", "crs1"))
    until("the binding is gone", lambda: scene.get_binding("nobody") is None)


@scenario(needs=("kube-controller-manager",))
def crs_50_the_garbage_collector_takes_the_resources(scene):
    """The side effect of the owner references that is named in the specification."""
    scene.ready()
    delete_set(scene)
    until("cm1 is gone", lambda: scene.management.get("ConfigMap", scene.namespace, "cm1") is None, 60)
    until("s1 is gone", lambda: scene.management.get("Secret", scene.namespace, "s1") is None, 60)


@scenario()
def crs_81_a_set_that_was_made_anew_takes_over(scene):
    """An owner of another kind keeps the garbage collector away from cm1."""
    scene.ready()
    keeper = scene.map("keeper", {"a": "b"})
    scene.management.patch("ConfigMap", scene.namespace, "cm1", {"metadata": {"ownerReferences": [
        *scene.management.get("ConfigMap", scene.namespace, "cm1")["metadata"]["ownerReferences"],
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "keeper", "uid": keeper["metadata"]["uid"]}]}})
    old = scene.get_set()["metadata"]["uid"]
    scene.blue.admin.delete("ConfigMap", scene.namespace, "a")
    delete_set(scene)
    scene.set()
    scene.await_settled()
    new = scene.get_set()["metadata"]["uid"]
    check("it is another set", new != old)
    owners = scene.management.get("ConfigMap", scene.namespace, "cm1")["metadata"]["ownerReferences"]
    check_equal("owners of cm1", sorted((one["name"], one["uid"]) for one in owners),
                sorted([("crs1", new), ("keeper", keeper["metadata"]["uid"])]))
    check_equal("owners of the binding", [one["uid"] for one in scene.get_binding()["metadata"]["ownerReferences"]],
                [new])
    check_equal("applied again", scene.value(), "1")
