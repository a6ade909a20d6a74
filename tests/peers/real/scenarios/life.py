"""CRS-01 to CRS-15, CRS-29, CRS-80: a set from its creation on, paused, and which clusters it selects."""
import time

from lib.kube import until
from lib.scene import check, check_equal
from lib.scenario import scenario

FINALIZER = "addons.cluster.x-k8s.io"
PAUSED = {"cluster.x-k8s.io/paused": ""}
PAUSED_TEXT = "True/Paused/ClusterResourceSet has the cluster.x-k8s.io/paused annotation"


def go_on(scene):
    scene.management.patch("ClusterResourceSet", scene.namespace, "crs1",
                           {"metadata": {"annotations": {"cluster.x-k8s.io/paused": None}}})


def add_label(scene, cluster="c1", value="calico"):
    scene.management.patch("Cluster", scene.namespace, cluster, {"metadata": {"labels": {"cni": value}}})


@scenario()
def crs_01_a_set_that_is_gone_is_no_error(scene):
    scene.cluster()
    scene.start()
    scene.set()
    scene.management.delete("ClusterResourceSet", scene.namespace, "crs1")
    until("the set is gone", lambda: scene.get_set() is None)
    scene.audit.mark()
    time.sleep(2)
    check_equal("writes", scene.audit.writes(namespace=scene.namespace), [])


@scenario()
def crs_02_the_finalizer_comes_before_any_binding(scene):
    scene.ready()
    check_equal("finalizers", scene.get_set()["metadata"]["finalizers"], [FINALIZER])
    order = [(one["objectRef"]["resource"], one["verb"]) for one in scene.audit.writes(namespace=scene.namespace)]
    check("the finalizer is first", order.index(("clusterresourcesets", "patch")) <
          order.index(("clusterresourcesetbindings", "create")))


@scenario()
def crs_03_a_foreign_finalizer_is_kept(scene):
    scene.start()
    scene.set(finalizers=["example.com/mine"])
    until("ours is appended", lambda: scene.get_set()["metadata"]["finalizers"] == ["example.com/mine", FINALIZER])
    scene.management.delete("ClusterResourceSet", scene.namespace, "crs1")
    until("ours is taken away", lambda: scene.get_set()["metadata"]["finalizers"] == ["example.com/mine"])


@scenario()
def crs_04_a_paused_set_is_left_alone(scene):
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(annotations=PAUSED)
    scene.await_condition(PAUSED_TEXT, "Paused")
    check_equal("ResourcesApplied", scene.condition(), "-")
    scene.check_quiet()
    check("no binding", scene.get_binding() is None)
    check("nothing applied", scene.live() is None)


@scenario()
def crs_05_a_set_goes_on_where_it_was_paused(scene):
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(annotations=PAUSED)
    scene.await_condition(PAUSED_TEXT, "Paused")
    go_on(scene)
    scene.await_applied()
    check_equal("Paused", scene.condition("Paused"), "False/NotPaused/")
    check_equal("the object", scene.value(), "1")


@scenario()
def crs_06_a_paused_set_is_not_taken_away(scene):
    scene.ready()
    scene.management.patch("ClusterResourceSet", scene.namespace, "crs1", {"metadata": {"annotations": PAUSED}})
    scene.await_condition(PAUSED_TEXT, "Paused")
    scene.management.delete("ClusterResourceSet", scene.namespace, "crs1")
    time.sleep(2)
    check_equal("finalizers", scene.get_set()["metadata"]["finalizers"], [FINALIZER])
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash, Secret/s1 true hash")
    go_on(scene)
    until("the set is gone", lambda: scene.get_set() is None)
    until("the binding is gone", lambda: scene.get_binding() is None)


@scenario()
def crs_09_without_clusters_only_the_set_itself_is_written(scene):
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_condition("False/NotPaused/", "Paused")
    check_equal("finalizers", scene.get_set()["metadata"]["finalizers"], [FINALIZER])
    time.sleep(1)
    check_equal("ResourcesApplied", scene.condition(), "-")
    scene.check_quiet()


@scenario(serial=True)
def crs_10_clusters_of_other_namespaces_are_not_touched(scene):
    other = scene.namespace + "-other"
    scene.management.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": other}})
    scene.cluster("c2", namespace=other)
    scene.map(data=scene.manifest())
    scene.start(everywhere=True)
    scene.set()
    scene.await_condition("False/NotPaused/", "Paused")
    time.sleep(1)
    check_equal("writes", scene.audit.writes(namespace=other), [])
    check("nothing applied", scene.live() is None)
    scene.management.delete("Cluster", other, "c2")
    scene.management.delete("Namespace", None, other)


@scenario()
def crs_11_a_cluster_that_goes_is_skipped(scene):
    scene.cluster()
    scene.management.patch("Cluster", scene.namespace, "c1", {"metadata": {"finalizers": ["example.com/mine"]}})
    scene.management.delete("Cluster", scene.namespace, "c1")
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_condition("False/NotPaused/", "Paused")
    time.sleep(1)
    check("no binding", scene.get_binding() is None)
    check("nothing applied", scene.live() is None)


@scenario()
def crs_12_a_cluster_without_the_label_is_not_in_the_list(scene):
    scene.cluster(labels={})
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(selector={"matchExpressions": [{"key": "cni", "operator": "NotIn", "values": ["x"]}]})
    scene.await_applied()
    check_equal("the object", scene.value(), "1")


@scenario()
def crs_14_a_label_is_enough(scene):
    scene.cluster(labels={})
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_condition("False/NotPaused/", "Paused")
    check("no binding", scene.get_binding() is None)
    add_label(scene)
    scene.await_applied()
    check_equal("the object", scene.value(), "1")
    check_equal("the entry", scene.entry(), "ConfigMap/cm1 true hash")


@scenario()
def crs_15_a_binding_goes_with_its_cluster(scene):
    scene.ready()
    scene.management.delete("Cluster", scene.namespace, "c1")
    until("the binding is gone", lambda: scene.get_binding() is None)
    check_equal("the object stays", scene.value(), "1")


@scenario()
def crs_29_a_cluster_that_answers_needs_no_flag(scene):
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.management.patch("Cluster", scene.namespace, "c1", {"status": {"initialization": {
        "controlPlaneInitialized": False}}}, "status")
    scene.start()
    scene.set()
    scene.await_applied()


@scenario()
def crs_80_a_paused_cluster_is_served_as_usual(scene):
    scene.cluster(paused=True)
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_applied()
    check_equal("the object", scene.value(), "1")
