"""CC-*: connections to workload clusters, as they are seen from outside: metrics, logs, the servers' audit logs."""
import json
import time

from lib.kube import Server, until
from lib.proxy import Proxy
from lib.fixture import SELECTED, check, check_equal, check_in
from lib.scenario import scenario

UP = "capi_cluster_cache_connection_up"
HEALTHY = "capi_cluster_cache_healthcheck"
PROBES = "capi_cluster_cache_healthchecks_total"


def await_up(fixture, wanted=1, timeout=45):
    until(f"{UP} is {wanted}", lambda: fixture.controller.metric(UP) == wanted, timeout)


def probes(fixture):
    return [one for one in fixture.blue.audit.entries(user=fixture.blue.user) if one["requestURI"] == "/?timeout=5s"]


def behind_proxy(fixture):
    proxy = Proxy(fixture.blue.port)
    fixture.cluster(url=proxy.url)
    fixture.start()
    await_up(fixture)
    return proxy


@scenario()
def cc_05_without_infrastructure_nothing_is_asked(fixture):
    fixture.cluster(provisioned=False)
    fixture.start()
    time.sleep(3)
    check_equal("series", fixture.controller.metric(UP), None)
    check_equal("requests", fixture.blue.audit.entries(user=fixture.blue.user), [])


@scenario()
def cc_07_a_healthy_cluster_is_connected(fixture):
    fixture.cluster()
    fixture.start()
    await_up(fixture)
    check_equal("no probe yet", fixture.controller.metric(PROBES), None)
    fixture.await_log("Connected")


@scenario()
def cc_08_a_cluster_without_its_secret_waits(fixture):
    """CC-08 to CC-10: the error, no attempt for 30 s, then connected."""
    fixture.cluster(kubeconfig="")
    fixture.start()
    fixture.await_log('error creating REST config: error getting kubeconfig secret: Secret \\"c1-kubeconfig\\" not found'
                    if "\\\"" in fixture.controller.log() else "error getting kubeconfig secret")
    check_in("the log", "not found", fixture.controller.log())
    check_equal("the series", fixture.controller.metric(UP), 0)
    fixture.kubeconfig_secret("c1", fixture.blue.server.kubeconfig())
    begun = time.monotonic()
    await_up(fixture, timeout=45)
    fixture.tell(f"connected {time.monotonic() - begun:.1f} s after the Secret came")


@scenario()
def cc_11_kubeconfigs_that_are_of_no_use_are_told(fixture):
    """CC-11 to CC-14, each in a cluster of its own."""
    good = json.loads(fixture.blue.server.kubeconfig())
    with_exec = {**good, "users": [{"name": "it", "user": {"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "false", "interactiveMode": "Never"}}}]}
    elsewhere = json.loads(fixture.blue.server.kubeconfig(fixture.blue.server.url + "/nowhere"))
    fixture.cluster("c12", kubeconfig=json.dumps(elsewhere))
    fixture.cluster("c13", kubeconfig=json.dumps(with_exec))
    fixture.cluster("c14", kubeconfig="not a kubeconfig")
    fixture.cluster("c11", kubeconfig="")
    fixture.kubeconfig_secret("c11", "")
    fixture.management.patch("Secret", fixture.namespace, "c11-kubeconfig", {"data": {"value": None, "other": "YQ=="}})
    fixture.start()
    for text in ("the server could not find the requested resource", "ExecProvider is not supported in ClusterCache",
                 "error creating REST config: error parsing kubeconfig: ", "in secret data"):
        fixture.await_log(text)
    check_equal("connected", fixture.controller.metric(UP), 0)


@scenario()
def cc_19_one_probe_every_ten_seconds(fixture):
    fixture.cluster()
    fixture.start()
    await_up(fixture)
    connected = len(probes(fixture))
    time.sleep(25)
    seen = probes(fixture)[connected:]
    check_equal("probes in 25 s", len(seen), 2)
    check("their user agent is ours", all(one["userAgent"].startswith("corset/") for one in seen))
    check_equal("the gauge", fixture.controller.metric(HEALTHY), 1)
    check_equal("the counter", fixture.controller.metric(PROBES, status="success"), 2)


@scenario(timeout=240)
def cc_21_five_failed_probes_disconnect(fixture):
    """CC-20, CC-21, CC-26, CC-40: connections that hang; streams close; afterwards everything goes on."""
    proxy = behind_proxy(fixture)
    fixture.map(data=fixture.manifest())
    fixture.set(strategy="Reconcile")
    fixture.await_settled()
    proxy.set_mode(Proxy.SWALLOW)
    fixture.await_log("Health probe failed (1/5)", timeout=40)
    check_equal("still up", fixture.controller.metric(UP), 1)
    check_equal("the gauge", fixture.controller.metric(HEALTHY), 0)
    await_up(fixture, 0, 120)
    check_equal("failed probes", fixture.controller.metric(PROBES, status="error"), 5)
    proxy.cut()
    proxy.set_mode(Proxy.PASS)
    await_up(fixture, 1, 60)
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    until("the change arrives", lambda: fixture.value() == "2")


@scenario()
def cc_22_a_refused_token_disconnects_at_once(fixture):
    """The account behind the token is deleted: the server says 401. Then the Secret gets a new one."""
    def token(account):
        fixture.blue.admin.put_in({"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {
            "name": account, "namespace": fixture.namespace}})
        fixture.blue.admin.create({
            "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1",
            "metadata": {"name": f"{fixture.namespace}-{account}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": fixture.namespace}]})
        text = fixture.blue.admin.ask("POST", f"/api/v1/namespaces/{fixture.namespace}/serviceaccounts/{account}/token", {
            "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "spec": {}})["status"]["token"]
        return Server(fixture.blue.server.url, fixture.blue.server.authority, token=text).kubeconfig()
    fixture.cluster(kubeconfig=token("first"))
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(strategy="Reconcile")
    fixture.await_settled()
    fixture.blue.admin.delete("ServiceAccount", fixture.namespace, "first")
    await_up(fixture, 0, 45)
    check("no five failures were needed", (fixture.controller.metric(PROBES, status="error") or 0) < 5)
    fixture.kubeconfig_secret("c1", token("second"))
    await_up(fixture, 1, 60)
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    until("the change arrives", lambda: fixture.value() == "2")
    for account in ("first", "second"):
        fixture.blue.admin.delete("ClusterRoleBinding", None, f"{fixture.namespace}-{account}")


@scenario()
def cc_26_a_cluster_that_goes_takes_its_connections_with_it(fixture):
    proxy = behind_proxy(fixture)
    check("there are connections", len(proxy._open) > 0)
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    until("no connection is left", lambda: not proxy._open)


@scenario()
def cc_29_a_cluster_that_vanishes_is_forgotten(fixture):
    fixture.cluster()
    fixture.start()
    await_up(fixture)
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    until("the series are gone", lambda: fixture.controller.metric(UP) is None)
    check_equal("the other series", [fixture.controller.metric(HEALTHY), fixture.controller.metric(PROBES)], [None, None])
    fixture.await_log("Cluster has been deleted, disconnecting")


@scenario()
def cc_33_a_cluster_without_the_label_of_the_filter_is_ignored(fixture):
    fixture.cluster("c1")
    fixture.cluster("c2", labels={**SELECTED, "cluster.x-k8s.io/watch-filter": "mine"})
    fixture.start("--watch-filter", "mine")
    await_up(fixture)
    check_equal("c1", fixture.controller.metric(UP, cluster_name="c1"), None)
