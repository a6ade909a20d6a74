"""Servers that restart or stand still, credentials that change or expire, networks that are slow."""
import datetime
import json
import os
import signal
import ssl
import time
import urllib.error
import urllib.request

from lib import supervisor
from lib.audit import summary
from lib.kube import Server, until
from lib.proxy import Proxy
from lib.scene import check, check_equal
from lib.scenario import scenario

UP = "capi_cluster_cache_connection_up"


def change_arrives(scene, value, timeout=60):
    scene.change_map("cm1", scene.manifest("a", value))
    until(f"a is {value}", lambda: scene.value() == value, timeout)


def check_alive(scene):
    check_equal("it still runs", scene.controller.process.poll(), None)


def pid_of(scene, plane, program):
    return supervisor.read_state(scene.options.folder)["planes"][plane]["pids"][program]


@scenario(serial=True, timeout=300)
def management_server_restarts(scene):
    """A server that has just come up refuses for a moment what its roles allow: it has not read them yet."""
    scene.may_be_refused = True
    scene.ready("Reconcile")
    scene.blue.audit.mark()
    supervisor.ask(scene.options.folder, "stop", "management", "kube-apiserver")
    time.sleep(8)
    supervisor.ask(scene.options.folder, "start", "management", "kube-apiserver")
    check_alive(scene)
    begun = time.monotonic()
    change_arrives(scene, "2", 90)
    scene.tell(f"a change arrives {time.monotonic() - begun:.1f} s after the server is back")
    check_equal("writes to the workload cluster", len(scene.blue.writes()), 1)


@scenario(serial=True, timeout=300)
def workload_server_restarts(scene):
    scene.ready("Reconcile")
    supervisor.ask(scene.options.folder, "restart", "blue", "kube-apiserver")
    check_alive(scene)
    change_arrives(scene, "2", 120)
    scene.await_settled(timeout=60)


@scenario(serial=True, timeout=300)
def management_etcd_stands_still(scene):
    """Nothing can be written for longer than any request may take; afterwards nothing is lost."""
    scene.ready("Reconcile")
    etcd = pid_of(scene, "management", "etcd")
    os.kill(etcd, signal.SIGSTOP)
    try:
        time.sleep(20)
        check_alive(scene)
    finally:
        os.kill(etcd, signal.SIGCONT)
    until("the server writes again", lambda: scene.management.ready(), 60)
    change_arrives(scene, "2", 120)
    scene.await_settled(timeout=60)


@scenario(serial=True, timeout=300)
def workload_etcd_stands_still(scene):
    """A change made meanwhile arrives once; the other cluster gets it at once."""
    scene.cluster("c2", scene.green)
    scene.ready("Reconcile")
    etcd = pid_of(scene, "blue", "etcd")
    os.kill(etcd, signal.SIGSTOP)
    try:
        scene.change_map("cm1", scene.manifest("a", "2"))
        until("the other cluster has it", lambda: scene.value("a", scene.green) == "2", 20)
        time.sleep(10)
        check_alive(scene)
    finally:
        os.kill(etcd, signal.SIGCONT)
    until("it arrives", lambda: scene.value() == "2", 90)
    scene.await_settled(timeout=90)


@scenario()
def kubeconfig_is_rotated(scene):
    """A new client certificate in the Secret: used without a restart, nothing is applied twice."""
    scene.ready("Reconcile")
    user = scene.blue.user + "-new"
    renewed = Server(scene.blue.server.url, scene.blue.server.authority,
                     *scene.blue.authority.client(user, user, ["system:masters"]))
    scene.blue.audit.mark()
    scene.kubeconfig_secret("c1", renewed.kubeconfig())
    until("the new certificate is used", lambda: scene.blue.audit.entries(user=user), 45)
    check_equal("writes because of it", summary(scene.blue.audit.writes(user=user)), [])
    change_arrives(scene, "2")
    check_equal("writes of the new user", len(scene.blue.audit.writes(user=user)), 1)


@scenario(timeout=200)
def client_certificate_expires(scene):
    user = scene.blue.user + "-short"
    ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=20)
    short = Server(scene.blue.server.url, scene.blue.server.authority,
                   *scene.blue.authority.client(user, user, ["system:masters"], ends))
    scene.cluster(kubeconfig=short.kubeconfig())
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(strategy="Reconcile")
    scene.await_settled(timeout=15)
    until("the connection is given up", lambda: scene.controller.metric(UP) == 0, 60)
    scene.change_map("cm1", scene.manifest("a", "2"))
    scene.await_condition("False/InternalError/Please check controller logs for errors")
    check_equal("v1beta1", scene.deprecated(), "False/RemoteClusterClientFailed/Error/error getting client: "
                "connection to the workload cluster is down")
    scene.kubeconfig_secret("c1", scene.blue.server.kubeconfig())
    until("a is 2", lambda: scene.value() == "2", 60)
    scene.await_settled()


@scenario(timeout=200)
def server_certificate_of_a_stranger_is_refused(scene):
    """The kubeconfig trusts another authority than the one that signed the server's certificate."""
    config = json.loads(scene.blue.server.kubeconfig())
    config["clusters"][0]["cluster"]["certificate-authority-data"] = json.loads(
        scene.green.server.kubeconfig())["clusters"][0]["cluster"]["certificate-authority-data"]
    scene.cluster(kubeconfig=json.dumps(config))
    scene.map(data=scene.manifest())
    scene.start()
    scene.set()
    scene.await_condition("False/InternalError/")
    check_equal("requests", scene.blue.audit.entries(user=scene.blue.user), [])
    check("nothing applied", scene.live() is None)


@scenario()
def token_of_the_controller_is_rotated(scene):
    """As in a Pod: the token is in a file, the old one stops working, the file gets another."""
    path = os.path.join(scene.folder, "token")

    def renew(account):
        scene.management.create({"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {
            "name": account, "namespace": scene.namespace}})
        scene.management.create({
            "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1",
            "metadata": {"name": f"{scene.namespace}-{account}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "corset-controller"},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": scene.namespace}]})
        with open(path, "w", encoding="utf-8") as file:
            file.write(scene.token(account, scene.namespace))
    renew("first")
    config = json.loads(scene.kubeconfig("unused"))
    config["users"][0]["user"] = {"tokenFile": path}
    scene.start(kubeconfig=json.dumps(config))
    scene.ready("Reconcile")
    renew("second")
    scene.management.delete("ServiceAccount", scene.namespace, "first")
    time.sleep(12)  # for so long the server remembers that the old token was good
    change_arrives(scene, "2", 100)
    for account in ("first", "second"):
        scene.management.delete("ClusterRoleBinding", None, f"{scene.namespace}-{account}")


@scenario(timeout=200)
def slow_network(scene):
    """300 ms each way to both servers, in pieces of 4 KiB."""
    near, far = Proxy(scene.management.port), Proxy(scene.blue.port)
    for proxy in (near, far):
        proxy.delay, proxy.piece = 0.3, 4096
    scene.cluster(url=far.url)
    scene.map(data="---\n".join(scene.manifest(f"m{number}") for number in range(10)))
    begun = time.monotonic()
    scene.start(url=near.url, wait=False)
    scene.controller.wait_ready(60)
    scene.set(strategy="Reconcile")
    scene.await_settled(timeout=90)
    scene.tell(f"ten objects are applied {time.monotonic() - begun:.1f} s after the start")
    check_equal("the last one", scene.value("m9"), "1")


@scenario()
def management_connection_is_cut(scene):
    """Every connection to the management server ends at once, several times."""
    proxy = Proxy(scene.management.port)
    scene.start(url=proxy.url)
    scene.ready("Reconcile")
    for value in ("2", "3", "4"):
        proxy.cut()
        change_arrives(scene, value)
    scene.await_settled()


@scenario()
def diagnostics_ask_the_server_who_may_read(scene):
    """/metrics over TLS: 401 without a token, 403 for an account without the role, 200 with it."""
    controller = scene.start("--secure")
    for account in ("stranger", "reader"):
        scene.management.create({"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {
            "name": account, "namespace": scene.namespace}})
    binding = f"{scene.namespace}-reader"
    scene.management.create({
        "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": binding},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "corset-metrics-reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": scene.namespace}]})
    unverified = ssl._create_unverified_context()

    def status(token):
        request = urllib.request.Request(f"https://127.0.0.1:{controller.diagnostics}/metrics")
        if token:
            request.add_header("Authorization", "Bearer " + token)
        try:
            with urllib.request.urlopen(request, context=unverified, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
    check_equal("without a token", status(None), 401)
    check_equal("with a bad one", status("abc"), 401)
    check_equal("a stranger", status(scene.token("stranger", scene.namespace)), 403)
    check_equal("a reader", status(scene.token("reader", scene.namespace)), 200)
    scene.management.delete("ClusterRoleBinding", None, binding)
