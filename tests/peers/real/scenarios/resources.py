"""CRS-16 to CRS-28: what a set's resources are like, whose they are, and clusters that cannot be reached."""
import time

from lib.kube import until
from lib.proxy import Proxy
from lib.fixture import RESOURCE_TYPE, check, check_equal, check_in
from lib.scenario import scenario

CHECK_LOGS = "False/InternalError/Please check controller logs for errors"


@scenario()
def crs_16_a_secret_of_another_type_is_told_and_the_rest_is_applied(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.secret("s1", fixture.manifest("b"), kind="Opaque")
    fixture.start()
    fixture.set(resources=("ConfigMap/cm1", "Secret/s1"))
    fixture.await_condition("False/WrongSecretType/Secret type of resource s1 is not supported")
    check_equal("v1beta1", fixture.deprecated(), "False/WrongSecretType/Warning/unsupported secret type, it must be addons.cluster.x-k8s.io/resource-set")
    until("cm1 is applied", lambda: fixture.value() == "1")
    check("s1 is not applied", fixture.live("b") is None)
    until("it is tried again", lambda: fixture.controller.metric(
        "controller_runtime_reconcile_errors_total", controller="clusterresourceset") >= 2)


@scenario()
def crs_17_what_is_missing_is_told_and_waited_for(fixture):
    fixture.cluster()
    fixture.secret("s1", fixture.manifest("b"))
    fixture.start()
    fixture.set(resources=("ConfigMap/cm1", "Secret/s1"))
    fixture.await_condition(CHECK_LOGS)
    until("s1 is applied", lambda: fixture.value("b") == "1")
    check_equal("the entry", fixture.entry(), "Secret/s1 true hash")
    check_equal("v1beta1", fixture.deprecated(),
                'False/RetrievingResourceFailed/Warning/configmaps "cm1" not found')
    fixture.check_quiet(kick=False)
    check_equal("errors", fixture.controller.metric("controller_runtime_reconcile_errors_total",
                                                  controller="clusterresourceset") or 0, 0)
    fixture.map(data=fixture.manifest())
    fixture.await_applied()


@scenario()
def crs_18_without_any_resource_there_is_an_entry(fixture):
    fixture.cluster()
    fixture.start()
    fixture.set()
    until("an entry without resources", lambda: fixture.entry() == "")
    fixture.await_condition(CHECK_LOGS)


@scenario()
def crs_19_a_resource_without_data_is_not_applied(fixture):
    fixture.cluster()
    fixture.start()
    fixture.set()
    until("an entry without resources", lambda: fixture.entry() == "")
    fixture.map(data={})
    until("an entry that is not applied", lambda: fixture.entry() == "ConfigMap/cm1 false")
    owners = fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"]["ownerReferences"]
    check_equal("owners", [one["name"] for one in owners], ["crs1"])
    until("v1beta1", lambda: f"failed to get data field from resource {fixture.namespace}/cm1" in fixture.deprecated())


@scenario()
def crs_20_resources_of_other_namespaces_do_not_count(fixture):
    other = fixture.namespace + "-other"
    fixture.management.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": other}})
    fixture.map(data=fixture.manifest(), namespace=other)
    fixture.cluster()
    fixture.start()
    fixture.set()
    fixture.await_condition(CHECK_LOGS)
    check("nothing applied", fixture.live() is None)
    fixture.management.delete("Namespace", None, other)


@scenario()
def crs_21_resources_belong_to_their_set(fixture):
    fixture.ready()
    wanted = [{"apiVersion": "addons.cluster.x-k8s.io/v1beta2", "kind": "ClusterResourceSet", "name": "crs1",
               "uid": fixture.get_set()["metadata"]["uid"]}]
    for kind, name in (("ConfigMap", "cm1"), ("Secret", "s1")):
        check_equal(name, fixture.management.get(kind, fixture.namespace, name)["metadata"]["ownerReferences"], wanted)
    check_equal("the binding", fixture.get_binding()["metadata"]["ownerReferences"], wanted)


@scenario()
def crs_22_a_resource_that_is_owned_is_not_written(fixture):
    fixture.ready("Reconcile")
    version = fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"]["resourceVersion"]
    fixture.check_quiet()
    check_equal("resourceVersion", fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"][
        "resourceVersion"], version)


def unreachable(fixture):
    """c1 behind a proxy that refuses, with crs1."""
    proxy = Proxy(fixture.blue.port)
    proxy.set_mode(Proxy.REFUSE)
    fixture.cluster(url=proxy.url)
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_condition(CHECK_LOGS)
    return proxy


@scenario()
def crs_23_a_cluster_that_cannot_be_reached_has_its_binding(fixture):
    unreachable(fixture)
    check_in("v1beta1", "False/RemoteClusterClientFailed/Error/", fixture.deprecated())
    check_equal("the entry", fixture.entry(), "")
    owners = fixture.management.get("ConfigMap", fixture.namespace, "cm1")["metadata"]["ownerReferences"]
    check_equal("owners", [one["name"] for one in owners], ["crs1"])


@scenario()
def crs_24_a_connection_is_enough(fixture):
    proxy = unreachable(fixture)
    proxy.set_mode(Proxy.PASS)
    until("connected", lambda: fixture.controller.metric("capi_cluster_cache_connection_up") == 1, 60)
    begun = time.monotonic()
    fixture.await_applied(timeout=10)
    fixture.tell(f"applied {time.monotonic() - begun:.1f} s after the connection was there")


@scenario()
def crs_25_the_first_set_makes_the_binding(fixture):
    fixture.ready()
    binding = fixture.get_binding()
    check_equal("clusterName", binding["spec"]["clusterName"], "c1")
    check_equal("owners", len(binding["metadata"]["ownerReferences"]), 1)


@scenario()
def crs_26_the_second_set_is_appended(fixture):
    fixture.ready()
    before = fixture.raw_entry()
    fixture.map("cm2", fixture.manifest("c"))
    fixture.set("crs2", resources=("ConfigMap/cm2",))
    fixture.await_applied("crs2")
    binding = fixture.get_binding()
    check_equal("entries", [one["clusterResourceSetName"] for one in binding["spec"]["bindings"]], ["crs1", "crs2"])
    check_equal("owners", [one["name"] for one in binding["metadata"]["ownerReferences"]], ["crs1", "crs2"])
    check_equal("the other entry", fixture.raw_entry(), before)


@scenario()
def crs_28_a_newer_cluster_needs_no_service(fixture):
    fixture.ready()
    check_equal("requests for Services", [one["requestURI"] for one in fixture.blue.requests(resource="services")], [])
    version = fixture.blue.admin.ask("GET", "/version")
    check_in("the server tells its version", "v1.", version["gitVersion"])
    fixture.tell(f"workload clusters are {version['gitVersion']}")


@scenario()
def crs_73_the_bytes_of_a_secret_count(fixture):
    fixture.cluster()
    text = "# caf\u00e9 \u2713\n" + fixture.manifest("a", "\u2713")
    fixture.secret("s1", {"one": text, "two": fixture.manifest("b")}, kind=RESOURCE_TYPE)
    fixture.start()
    fixture.set(resources=("Secret/s1",))
    fixture.await_applied()
    check_equal("a", fixture.value("a"), "\u2713")
    check_equal("b", fixture.value("b"), "1")


@scenario()
def crs_74_binary_data_is_no_data(fixture):
    fixture.cluster()
    fixture.map(data={}, binaryData={"manifests": "YTogMQ=="})
    fixture.start()
    fixture.set()
    until("an entry that is not applied", lambda: fixture.entry() == "ConfigMap/cm1 false")
    until("v1beta1", lambda: "failed to get data field from resource" in fixture.deprecated())
