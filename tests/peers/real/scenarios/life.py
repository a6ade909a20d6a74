"""CRS-01 to CRS-15, CRS-29, CRS-80: a set from its creation on, paused, and which clusters it selects."""
import time

from lib.kube import until
from lib.fixture import check, check_equal
from lib.scenario import scenario

FINALIZER = "addons.cluster.x-k8s.io"
PAUSED = {"cluster.x-k8s.io/paused": ""}
PAUSED_TEXT = "True/Paused/ClusterResourceSet has the cluster.x-k8s.io/paused annotation"


def go_on(fixture):
    fixture.management.patch("ClusterResourceSet", fixture.namespace, "crs1",
                           {"metadata": {"annotations": {"cluster.x-k8s.io/paused": None}}})


def add_label(fixture, cluster="c1", value="calico"):
    fixture.management.patch("Cluster", fixture.namespace, cluster, {"metadata": {"labels": {"cni": value}}})


@scenario()
def crs_01_a_set_that_is_gone_is_no_error(fixture):
    fixture.cluster()
    fixture.start()
    fixture.set()
    fixture.management.delete("ClusterResourceSet", fixture.namespace, "crs1")
    until("the set is gone", lambda: fixture.get_set() is None)
    fixture.mark_all()  # a finalizer may have been on its way to a set that was there a moment ago
    time.sleep(2)
    check_equal("writes", fixture.audit.writes(namespace=fixture.namespace), [])


@scenario()
def crs_02_the_finalizer_comes_before_any_binding(fixture):
    fixture.ready()
    check_equal("finalizers", fixture.get_set()["metadata"]["finalizers"], [FINALIZER])
    order = [(one["objectRef"]["resource"], one["verb"]) for one in fixture.audit.writes(namespace=fixture.namespace)]
    check("the finalizer is first", order.index(("clusterresourcesets", "patch")) <
          order.index(("clusterresourcesetbindings", "create")))


@scenario()
def crs_03_a_foreign_finalizer_is_kept(fixture):
    fixture.start()
    fixture.set(finalizers=["example.com/mine"])
    until("ours is appended", lambda: fixture.get_set()["metadata"]["finalizers"] == ["example.com/mine", FINALIZER])
    fixture.management.delete("ClusterResourceSet", fixture.namespace, "crs1")
    until("ours is taken away", lambda: fixture.get_set()["metadata"]["finalizers"] == ["example.com/mine"])


@scenario()
def crs_04_a_paused_set_is_left_alone(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(annotations=PAUSED)
    fixture.await_condition(PAUSED_TEXT, "Paused")
    check_equal("ResourcesApplied", fixture.condition(), "-")
    fixture.check_quiet()
    check("no binding", fixture.get_binding() is None)
    check("nothing applied", fixture.live() is None)


@scenario()
def crs_05_a_set_goes_on_where_it_was_paused(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(annotations=PAUSED)
    fixture.await_condition(PAUSED_TEXT, "Paused")
    go_on(fixture)
    fixture.await_applied()
    check_equal("Paused", fixture.condition("Paused"), "False/NotPaused/")
    check_equal("the object", fixture.value(), "1")


@scenario()
def crs_06_a_paused_set_is_not_taken_away(fixture):
    fixture.ready()
    fixture.management.patch("ClusterResourceSet", fixture.namespace, "crs1", {"metadata": {"annotations": PAUSED}})
    fixture.await_condition(PAUSED_TEXT, "Paused")
    fixture.management.delete("ClusterResourceSet", fixture.namespace, "crs1")
    time.sleep(2)
    check_equal("finalizers", fixture.get_set()["metadata"]["finalizers"], [FINALIZER])
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash, Secret/s1 true hash")
    go_on(fixture)
    until("the set is gone", lambda: fixture.get_set() is None)
    until("the binding is gone", lambda: fixture.get_binding() is None)


@scenario()
def crs_09_without_clusters_only_the_set_itself_is_written(fixture):
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_condition("False/NotPaused/", "Paused")
    check_equal("finalizers", fixture.get_set()["metadata"]["finalizers"], [FINALIZER])
    time.sleep(1)
    check_equal("ResourcesApplied", fixture.condition(), "-")
    fixture.check_quiet()


@scenario(serial=True)
def crs_10_clusters_of_other_namespaces_are_not_touched(fixture):
    other = fixture.namespace + "-other"
    fixture.management.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": other}})
    fixture.cluster("c2", namespace=other)
    fixture.map(data=fixture.manifest())
    fixture.start(everywhere=True)
    fixture.set()
    fixture.await_condition("False/NotPaused/", "Paused")
    time.sleep(1)
    check_equal("writes", fixture.audit.writes(namespace=other), [])
    check("nothing applied", fixture.live() is None)
    fixture.management.delete("Cluster", other, "c2")
    fixture.management.delete("Namespace", None, other)


@scenario()
def crs_11_a_cluster_that_goes_is_skipped(fixture):
    fixture.cluster()
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"metadata": {"finalizers": ["example.com/mine"]}})
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_condition("False/NotPaused/", "Paused")
    time.sleep(1)
    check("no binding", fixture.get_binding() is None)
    check("nothing applied", fixture.live() is None)


@scenario()
def crs_12_a_cluster_without_the_label_is_not_in_the_list(fixture):
    fixture.cluster(labels={})
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(selector={"matchExpressions": [{"key": "cni", "operator": "NotIn", "values": ["x"]}]})
    fixture.await_applied()
    check_equal("the object", fixture.value(), "1")


@scenario()
def crs_14_a_label_is_enough(fixture):
    fixture.cluster(labels={})
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_condition("False/NotPaused/", "Paused")
    check("no binding", fixture.get_binding() is None)
    add_label(fixture)
    fixture.await_applied()
    check_equal("the object", fixture.value(), "1")
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_15_a_binding_goes_with_its_cluster(fixture):
    fixture.ready()
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    until("the binding is gone", lambda: fixture.get_binding() is None)
    check_equal("the object stays", fixture.value(), "1")


@scenario()
def crs_29_a_cluster_that_answers_needs_no_flag(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"status": {"initialization": {
        "controlPlaneInitialized": False}}}, "status")
    fixture.start()
    fixture.set()
    fixture.await_applied()


@scenario()
def crs_80_nothing_new_is_applied_to_a_paused_cluster(fixture):
    fixture.cluster(paused=True)
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_condition("False/ClusterPaused/Clusters are paused: c1")
    fixture.check_quiet()
    check("no binding", fixture.get_binding() is None)
    check("nothing applied", fixture.live() is None)
    fixture.management.patch("Cluster", fixture.namespace, "c1", {"spec": {"paused": None}})
    fixture.await_applied()
    check_equal("the object", fixture.value(), "1")
