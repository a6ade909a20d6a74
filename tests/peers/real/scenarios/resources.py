"""CRS-16 to CRS-28: what a set's resources are like, whose they are, and clusters that cannot be reached."""
import time

from lib.kube import until
from lib.proxy import Proxy
from lib.scene import RESOURCE_TYPE, check, check_equal, check_in
from lib.scenario import scenario

CHECK_LOGS = "False/InternalError/Please check controller logs for errors"
DOWN = "error getting client: connection to the workload cluster is down"


@scenario()
def crs_16_a_secret_of_another_type_is_told_and_the_rest_is_applied(scene):
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.secret("s1", scene.manifest("b"), kind="Opaque")
    scene.start()
    scene.set(resources=("ConfigMap/cm1", "Secret/s1"))
    scene.await_condition("False/WrongSecretType/Secret type of resource s1 is not supported")
    check_equal("v1beta1", scene.deprecated(), "False/WrongSecretType/Warning/unsupported secret type")
    until("cm1 is applied", lambda: scene.value() == "1")
    check("s1 is not applied", scene.live("b") is None)
    until("it is tried again", lambda: scene.controller.metric(
        "controller_runtime_reconcile_errors_total", controller="clusterresourceset") >= 2)


@scenario()
def crs_17_what_is_missing_is_told_and_waited_for(scene):
    scene.cluster()
    scene.secret("s1", scene.manifest("b"))
    scene.start()
    scene.set(resources=("ConfigMap/cm1", "Secret/s1"))
    scene.await_condition(CHECK_LOGS)
    until("s1 is applied", lambda: scene.value("b") == "1")
    check_equal("the entry", scene.entry(), "Secret/s1 true hash")
    check_equal("v1beta1", scene.deprecated(),
                'False/RetrievingResourceFailed/Warning/configmaps "cm1" not found')
    scene.check_quiet(kick=False)
    check_equal("errors", scene.controller.metric("controller_runtime_reconcile_errors_total",
                                                  controller="clusterresourceset") or 0, 0)
    scene.map(data=scene.manifest())
    scene.await_applied()


@scenario()
def crs_18_without_any_resource_there_is_an_entry(scene):
    scene.cluster()
    scene.start()
    scene.set()
    until("an entry without resources", lambda: scene.entry() == "")
    scene.await_condition(CHECK_LOGS)


@scenario()
def crs_19_a_resource_without_data_is_not_applied(scene):
    scene.cluster()
    scene.start()
    scene.set()
    until("an entry without resources", lambda: scene.entry() == "")
    scene.map(data={})
    until("an entry that is not applied", lambda: scene.entry() == "ConfigMap/cm1 false")
    owners = scene.management.get("ConfigMap", scene.namespace, "cm1")["metadata"]["ownerReferences"]
    check_equal("owners", [one["name"] for one in owners], ["crs1"])
    until("v1beta1", lambda: f"failed to get data field from resource {scene.namespace}/cm1" in scene.deprecated())


@scenario()
def crs_20_resources_of_other_namespaces_do_not_count(scene):
    other = scene.namespace + "-other"
    scene.management.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": other}})
    scene.map(data=scene.manifest(), namespace=other)
    scene.cluster()
    scene.start()
    scene.set()
    scene.await_condition(CHECK_LOGS)
    check("nothing applied", scene.live() is None)
    scene.management.delete("Namespace", None, other)


@scenario()
def crs_21_resources_belong_to_their_set(scene):
    scene.ready()
    wanted = [{"apiVersion": "addons.cluster.x-k8s.io/v1beta2", "kind": "ClusterResourceSet", "name": "crs1",
               "uid": scene.get_set()["metadata"]["uid"]}]
    for kind, name in (("ConfigMap", "cm1"), ("Secret", "s1")):
        check_equal(name, scene.management.get(kind, scene.namespace, name)["metadata"]["ownerReferences"], wanted)
    check_equal("the binding", scene.get_binding()["metadata"]["ownerReferences"], wanted)


@scenario()
def crs_22_a_resource_that_is_owned_is_not_written(scene):
    scene.ready("Reconcile")
    version = scene.management.get("ConfigMap", scene.namespace, "cm1")["metadata"]["resourceVersion"]
    scene.check_quiet()
    check_equal("resourceVersion", scene.management.get("ConfigMap", scene.namespace, "cm1")["metadata"][
        "resourceVersion"], version)


def unreachable(scene):
    """c1 behind a proxy that refuses, with crs1."""
    proxy = Proxy(scene.blue.port)
    proxy.set_mode(Proxy.REFUSE)
    scene.cluster(url=proxy.url)
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_condition(CHECK_LOGS)
    return proxy


@scenario()
def crs_23_a_cluster_that_cannot_be_reached_has_its_binding(scene):
    unreachable(scene)
    check_equal("v1beta1", scene.deprecated(), f"False/RemoteClusterClientFailed/Error/{DOWN}")
    check_equal("the entry", scene.entry(), "")
    owners = scene.management.get("ConfigMap", scene.namespace, "cm1")["metadata"]["ownerReferences"]
    check_equal("owners", [one["name"] for one in owners], ["crs1"])


@scenario()
def crs_24_a_connection_is_enough(scene):
    proxy = unreachable(scene)
    proxy.set_mode(Proxy.PASS)
    until("connected", lambda: scene.controller.metric("capi_cluster_cache_connection_up") == 1, 60)
    begun = time.monotonic()
    scene.await_applied(timeout=10)
    scene.tell(f"applied {time.monotonic() - begun:.1f} s after the connection was there")


@scenario()
def crs_25_the_first_set_makes_the_binding(scene):
    scene.ready()
    binding = scene.get_binding()
    check_equal("clusterName", binding["spec"]["clusterName"], "c1")
    check_equal("owners", len(binding["metadata"]["ownerReferences"]), 1)


@scenario()
def crs_26_the_second_set_is_appended(scene):
    scene.ready()
    before = scene.raw_entry()
    scene.map("cm2", scene.manifest("c"))
    scene.set("crs2", resources=("ConfigMap/cm2",))
    scene.await_applied("crs2")
    binding = scene.get_binding()
    check_equal("entries", [one["clusterResourceSetName"] for one in binding["spec"]["bindings"]], ["crs1", "crs2"])
    check_equal("owners", [one["name"] for one in binding["metadata"]["ownerReferences"]], ["crs1", "crs2"])
    check_equal("the other entry", scene.raw_entry(), before)


@scenario()
def crs_28_a_newer_cluster_needs_no_service(scene):
    scene.ready()
    check_equal("requests for Services", [one["requestURI"] for one in scene.blue.requests(resource="services")], [])
    version = scene.blue.admin.ask("GET", "/version")
    check_in("the server tells its version", "v1.", version["gitVersion"])
    scene.tell(f"workload clusters are {version['gitVersion']}")


@scenario()
def crs_73_the_bytes_of_a_secret_count(scene):
    scene.cluster()
    text = "# caf\u00e9 \u2713\n" + scene.manifest("a", "\u2713")
    scene.secret("s1", {"one": text, "two": scene.manifest("b")}, kind=RESOURCE_TYPE)
    scene.start()
    scene.set(resources=("Secret/s1",))
    scene.await_applied()
    check_equal("a", scene.value("a"), "\u2713")
    check_equal("b", scene.value("b"), "1")


@scenario()
def crs_74_binary_data_is_no_data(scene):
    scene.cluster()
    scene.map(data={}, binaryData={"manifests": "YTogMQ=="})
    scene.start()
    scene.set()
    until("an entry that is not applied", lambda: scene.entry() == "ConfigMap/cm1 false")
    until("v1beta1", lambda: "failed to get data field from resource" in scene.deprecated())
