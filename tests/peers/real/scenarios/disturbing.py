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
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario

UP = "capi_cluster_cache_connection_up"


def change_arrives(fixture, value, timeout=60):
    fixture.change_map("cm1", fixture.manifest("a", value))
    until(f"a is {value}", lambda: fixture.value() == value, timeout)


def check_alive(fixture):
    check_equal("it still runs", fixture.controller.process.poll(), None)


def pid_of(fixture, plane, program):
    return supervisor.read_state(fixture.options.folder)["planes"][plane]["pids"][program]


@scenario(serial=True, timeout=300)
def management_server_restarts(fixture):
    """A server that has just come up refuses for a moment what its roles allow: it has not read them yet."""
    fixture.may_be_refused = True
    fixture.ready("Reconcile")
    fixture.blue.audit.mark()
    supervisor.ask(fixture.options.folder, "stop", "management", "kube-apiserver")
    time.sleep(8)
    supervisor.ask(fixture.options.folder, "start", "management", "kube-apiserver")
    check_alive(fixture)
    begun = time.monotonic()
    change_arrives(fixture, "2", 90)
    fixture.tell(f"a change arrives {time.monotonic() - begun:.1f} s after the server is back")
    check_equal("writes to the workload cluster", len(fixture.blue.writes()), 1)


@scenario(serial=True, timeout=300)
def workload_server_restarts(fixture):
    fixture.ready("Reconcile")
    supervisor.ask(fixture.options.folder, "restart", "blue", "kube-apiserver")
    check_alive(fixture)
    change_arrives(fixture, "2", 120)
    fixture.await_settled(timeout=60)


@scenario(serial=True, timeout=300)
def management_etcd_stands_still(fixture):
    """Nothing can be written for longer than any request may take; afterwards nothing is lost."""
    fixture.ready("Reconcile")
    etcd = pid_of(fixture, "management", "etcd")
    os.kill(etcd, signal.SIGSTOP)
    try:
        time.sleep(20)
        check_alive(fixture)
    finally:
        os.kill(etcd, signal.SIGCONT)
    until("the server writes again", lambda: fixture.management.ready(), 60)
    change_arrives(fixture, "2", 120)
    fixture.await_settled(timeout=60)


@scenario(serial=True, timeout=300)
def workload_etcd_stands_still(fixture):
    """A change made meanwhile arrives once; the other cluster gets it at once."""
    fixture.cluster("c2", fixture.green)
    fixture.ready("Reconcile")
    etcd = pid_of(fixture, "blue", "etcd")
    os.kill(etcd, signal.SIGSTOP)
    try:
        fixture.change_map("cm1", fixture.manifest("a", "2"))
        until("the other cluster has it", lambda: fixture.value("a", fixture.green) == "2", 20)
        time.sleep(10)
        check_alive(fixture)
    finally:
        os.kill(etcd, signal.SIGCONT)
    until("it arrives", lambda: fixture.value() == "2", 90)
    fixture.await_settled(timeout=90)


@scenario()
def kubeconfig_is_rotated(fixture):
    """A new client certificate in the Secret: used without a restart, nothing is applied twice."""
    fixture.ready("Reconcile")
    user = fixture.blue.user + "-new"
    renewed = Server(fixture.blue.server.url, fixture.blue.server.authority,
                     *fixture.blue.authority.client(user, user, ["system:masters"]))
    fixture.blue.audit.mark()
    fixture.kubeconfig_secret("c1", renewed.kubeconfig())
    until("the new certificate is used", lambda: fixture.blue.audit.entries(user=user), 45)
    check_equal("writes because of it", summary(fixture.blue.audit.writes(user=user)), [])
    change_arrives(fixture, "2")
    check_equal("writes of the new user", len(fixture.blue.audit.writes(user=user)), 1)


@scenario(timeout=200)
def client_certificate_expires(fixture):
    user = fixture.blue.user + "-short"
    ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=20)
    short = Server(fixture.blue.server.url, fixture.blue.server.authority,
                   *fixture.blue.authority.client(user, user, ["system:masters"], ends))
    fixture.cluster(kubeconfig=short.kubeconfig())
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(strategy="Reconcile")
    fixture.await_settled(timeout=15)
    until("the connection is given up", lambda: fixture.controller.metric(UP) == 0, 60)
    fixture.change_map("cm1", fixture.manifest("a", "2"))
    fixture.await_condition("False/InternalError/Please check controller logs for errors")
    check_in("v1beta1", "False/RemoteClusterClientFailed/Error/", fixture.deprecated())
    fixture.kubeconfig_secret("c1", fixture.blue.server.kubeconfig())
    until("a is 2", lambda: fixture.value() == "2", 60)
    fixture.await_settled()


@scenario(timeout=200)
def server_certificate_of_a_stranger_is_refused(fixture):
    """The kubeconfig trusts another authority than the one that signed the server's certificate."""
    config = json.loads(fixture.blue.server.kubeconfig())
    config["clusters"][0]["cluster"]["certificate-authority-data"] = json.loads(
        fixture.green.server.kubeconfig())["clusters"][0]["cluster"]["certificate-authority-data"]
    fixture.cluster(kubeconfig=json.dumps(config))
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_condition("False/InternalError/")
    check_equal("requests", fixture.blue.audit.entries(user=fixture.blue.user), [])
    check("nothing applied", fixture.live() is None)


@scenario()
def token_of_the_controller_is_rotated(fixture):
    """As in a Pod: the token is in a file, the old one stops working, the file gets another."""
    path = os.path.join(fixture.folder, "token")

    def renew(account):
        fixture.management.create({"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {
            "name": account, "namespace": fixture.namespace}})
        fixture.management.create({
            "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1",
            "metadata": {"name": f"{fixture.namespace}-{account}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "corset-controller"},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": fixture.namespace}]})
        with open(path, "w", encoding="utf-8") as file:
            file.write(fixture.token(account, fixture.namespace))
    renew("first")
    config = json.loads(fixture.kubeconfig("unused"))
    config["users"][0]["user"] = {"tokenFile": path}
    fixture.start(kubeconfig=json.dumps(config))
    fixture.ready("Reconcile")
    renew("second")
    fixture.management.delete("ServiceAccount", fixture.namespace, "first")
    time.sleep(12)  # for so long the server remembers that the old token was good
    change_arrives(fixture, "2", 100)
    for account in ("first", "second"):
        fixture.management.delete("ClusterRoleBinding", None, f"{fixture.namespace}-{account}")


@scenario(timeout=200)
def slow_network(fixture):
    """300 ms each way to both servers, in pieces of 4 KiB."""
    near, far = Proxy(fixture.management.port), Proxy(fixture.blue.port)
    for proxy in (near, far):
        proxy.delay, proxy.piece = 0.3, 4096
    fixture.cluster(url=far.url)
    fixture.map(data="---\n".join(fixture.manifest(f"m{number}") for number in range(10)))
    begun = time.monotonic()
    fixture.start(url=near.url, wait=False)
    fixture.controller.wait_ready(60)
    fixture.set(strategy="Reconcile")
    fixture.await_settled(timeout=90)
    fixture.tell(f"ten objects are applied {time.monotonic() - begun:.1f} s after the start")
    check_equal("the last one", fixture.value("m9"), "1")


@scenario()
def management_connection_is_cut(fixture):
    """Every connection to the management server ends at once, several times."""
    proxy = Proxy(fixture.management.port)
    fixture.start(url=proxy.url)
    fixture.ready("Reconcile")
    for value in ("2", "3", "4"):
        proxy.cut()
        change_arrives(fixture, value)
    fixture.await_settled()


@scenario()
def diagnostics_ask_the_server_who_may_read(fixture):
    """/metrics over TLS: 401 without a token, 403 for an account without the role, 200 with it."""
    controller = fixture.start("--secure")
    for account in ("stranger", "reader"):
        fixture.management.create({"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {
            "name": account, "namespace": fixture.namespace}})
    binding = f"{fixture.namespace}-reader"
    fixture.management.create({
        "kind": "ClusterRoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": binding},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "corset-metrics-reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": fixture.namespace}]})
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
    check_equal("a stranger", status(fixture.token("stranger", fixture.namespace)), 403)
    check_equal("a reader", status(fixture.token("reader", fixture.namespace)), 200)
    fixture.management.delete("ClusterRoleBinding", None, binding)
