"""CC-*: connections to workload clusters, as they are seen from outside: metrics, logs, the servers' audit logs."""
import json
import time

from lib.kube import Server, until
from lib.proxy import Proxy
from lib.scene import SELECTED, check, check_equal, check_in
from lib.scenario import scenario

UP = "capi_cluster_cache_connection_up"
HEALTHY = "capi_cluster_cache_healthcheck"
PROBES = "capi_cluster_cache_healthchecks_total"


def await_up(scene, wanted=1, timeout=45):
    until(f"{UP} is {wanted}", lambda: scene.controller.metric(UP) == wanted, timeout)


def probes(scene):
    return [one for one in scene.blue.audit.entries(user=scene.blue.user) if one["requestURI"] == "/?timeout=5s"]


def behind_proxy(scene):
    proxy = Proxy(scene.blue.port)
    scene.cluster(url=proxy.url)
    scene.start()
    await_up(scene)
    return proxy


@scenario()
def cc_05_without_infrastructure_nothing_is_asked(scene):
    scene.cluster(provisioned=False)
    scene.start()
    time.sleep(3)
    check_equal("series", scene.controller.metric(UP), None)
    check_equal("requests", scene.blue.audit.entries(user=scene.blue.user), [])


@scenario()
def cc_07_a_healthy_cluster_is_connected(scene):
    scene.cluster()
    scene.start()
    await_up(scene)
    check_equal("no probe yet", scene.controller.metric(PROBES), None)
    scene.await_log("Connected")


@scenario()
def cc_08_a_cluster_without_its_secret_waits(scene):
    """CC-08 to CC-10: the error, no attempt for 30 s, then connected."""
    scene.cluster(kubeconfig="")
    scene.start()
    scene.await_log('error creating REST config: error getting kubeconfig secret: Secret \\"c1-kubeconfig\\" not found'
                    if "\\\"" in scene.controller.log() else "error getting kubeconfig secret")
    check_in("the log", "not found", scene.controller.log())
    check_equal("the series", scene.controller.metric(UP), 0)
    scene.kubeconfig_secret("c1", scene.blue.server.kubeconfig())
    begun = time.monotonic()
    await_up(scene, timeout=45)
    scene.tell(f"connected {time.monotonic() - begun:.1f} s after the Secret came")


@scenario()
def cc_11_kubeconfigs_that_are_of_no_use_are_told(scene):
    """CC-11 to CC-14, each in a cluster of its own."""
    good = json.loads(scene.blue.server.kubeconfig())
    with_exec = {**good, "users": [{"name": "it", "user": {"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "false", "interactiveMode": "Never"}}}]}
    elsewhere = json.loads(scene.blue.server.kubeconfig(scene.blue.server.url + "/nowhere"))
    scene.cluster("c12", kubeconfig=json.dumps(elsewhere))
    scene.cluster("c13", kubeconfig=json.dumps(with_exec))
    scene.cluster("c14", kubeconfig="not a kubeconfig")
    scene.cluster("c11", kubeconfig="")
    scene.kubeconfig_secret("c11", "")
    scene.management.patch("Secret", scene.namespace, "c11-kubeconfig", {"data": {"value": None, "other": "YQ=="}})
    scene.start()
    for text in ("the server could not find the requested resource", "ExecProvider is not supported in ClusterCache",
                 "error creating REST config: error parsing kubeconfig: ", "in secret data"):
        scene.await_log(text)
    check_equal("connected", scene.controller.metric(UP), 0)


@scenario()
def cc_19_one_probe_every_ten_seconds(scene):
    scene.cluster()
    scene.start()
    await_up(scene)
    connected = len(probes(scene))
    time.sleep(25)
    seen = probes(scene)[connected:]
    check_equal("probes in 25 s", len(seen), 2)
    check("their user agent is ours", all(one["userAgent"].startswith("corset/") for one in seen))
    check_equal("the gauge", scene.controller.metric(HEALTHY), 1)
    check_equal("the counter", scene.controller.metric(PROBES, status="success"), 2)


@scenario(timeout=240)
def cc_21_five_failed_probes_disconnect(scene):
    """CC-20, CC-21, CC-26, CC-40: connections that hang; streams close; afterwards everything goes on."""
    proxy = behind_proxy(scene)
    scene.map(data=scene.manifest())
    scene.set(strategy="Reconcile")
    scene.await_settled()
    proxy.set_mode(Proxy.SWALLOW)
    scene.await_log("Health probe failed (1/5)", timeout=40)
    check_equal("still up", scene.controller.metric(UP), 1)
    check_equal("the gauge", scene.controller.metric(HEALTHY), 0)
    await_up(scene, 0, 120)
    check_equal("failed probes", scene.controller.metric(PROBES, status="error"), 5)
    proxy.cut()
    proxy.set_mode(Proxy.PASS)
    await_up(scene, 1, 60)
    scene.change_map("cm1", scene.manifest("a", "2"))
    until("the change arrives", lambda: scene.value() == "2")


@scenario()
def cc_22_a_refused_token_disconnects_at_once(scene):
    """The account behind the token is deleted: the server says 401. Then the Secret gets a new one."""
    def token(account):
        scene.blue.admin.put_in({"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {
            "name": account, "namespace": scene.namespace}})
        scene.blue.admin.create({
            "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1",
            "metadata": {"name": f"{scene.namespace}-{account}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": scene.namespace}]})
        text = scene.blue.admin.ask("POST", f"/api/v1/namespaces/{scene.namespace}/serviceaccounts/{account}/token", {
            "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "spec": {}})["status"]["token"]
        return Server(scene.blue.server.url, scene.blue.server.authority, token=text).kubeconfig()
    scene.cluster(kubeconfig=token("first"))
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(strategy="Reconcile")
    scene.await_settled()
    scene.blue.admin.delete("ServiceAccount", scene.namespace, "first")
    await_up(scene, 0, 45)
    check("no five failures were needed", (scene.controller.metric(PROBES, status="error") or 0) < 5)
    scene.kubeconfig_secret("c1", token("second"))
    await_up(scene, 1, 60)
    scene.change_map("cm1", scene.manifest("a", "2"))
    until("the change arrives", lambda: scene.value() == "2")
    for account in ("first", "second"):
        scene.blue.admin.delete("ClusterRoleBinding", None, f"{scene.namespace}-{account}")


@scenario()
def cc_26_a_cluster_that_goes_takes_its_connections_with_it(scene):
    proxy = behind_proxy(scene)
    check("there are connections", len(proxy._open) > 0)
    scene.management.delete("Cluster", scene.namespace, "c1")
    until("no connection is left", lambda: not proxy._open)


@scenario()
def cc_29_a_cluster_that_vanishes_is_forgotten(scene):
    scene.cluster()
    scene.start()
    await_up(scene)
    scene.management.delete("Cluster", scene.namespace, "c1")
    until("the series are gone", lambda: scene.controller.metric(UP) is None)
    check_equal("the other series", [scene.controller.metric(HEALTHY), scene.controller.metric(PROBES)], [None, None])
    scene.await_log("Cluster has been deleted, disconnecting")


@scenario()
def cc_33_a_cluster_without_the_label_of_the_filter_is_ignored(scene):
    scene.cluster("c1")
    scene.cluster("c2", labels={**SELECTED, "cluster.x-k8s.io/watch-filter": "mine"})
    scene.start("--watch-filter", "mine")
    await_up(scene)
    check_equal("c1", scene.controller.metric(UP, cluster_name="c1"), None)
