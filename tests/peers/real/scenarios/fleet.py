"""The fleet API behind a real kube-apiserver, as the APIService that deploy/kustomize/components/fleet registers.

FQ-31: FQ-02, 03, 04, 05, 08, 13, 14 and 19 once more. Authorization is kube-apiserver's first: who may not use a cluster
gets its 403, and not our 404.
"""
import base64
import http.client
import json
import os
import shutil
import subprocess

from lib import install
from lib.certificates import Authority
from lib.fixture import SYSTEM, check, check_equal
from lib.kube import Server, until
from lib.plane import steady_ports
from lib.scenario import scenario

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
COMPONENT = os.path.join(ROOT, "deploy/kustomize/components/fleet")
SERVICE = "v1alpha1.fleet.corset.dev"
P = "/apis/fleet.corset.dev/v1alpha1"


def one(fixture, cluster, path):
    return f"{P}/namespaces/{fixture.namespace}/clusters/{cluster}/proxy{path}"


def every(path):
    return f"{P}/fleet{path}"


def kubectl(fixture, *arguments, kubeconfig=None, text=None):
    program = install.kubectl(ROOT, fixture.options.assets)
    done = subprocess.run([program, "--kubeconfig", kubeconfig or install.admin_kubeconfig(fixture.options), *arguments],
                          capture_output=True, text=True, input=text, timeout=60)
    check(f"kubectl {' '.join(arguments)}: {done.stderr}", done.returncode == 0)
    return done.stdout


def register(fixture, port):
    """What the component makes; its Service leads to this machine instead of to Pods."""
    for name in ("role.yaml", "role_binding.yaml", "secret.yaml"):
        kubectl(fixture, "apply", "-f", os.path.join(COMPONENT, name))
    management = fixture.management
    management.delete("APIService", None, SERVICE)
    management.delete("Service", SYSTEM, "corset-fleet")
    management.create({"kind": "Service", "apiVersion": "v1", "metadata": {"name": "corset-fleet", "namespace": SYSTEM},
                       "spec": {"type": "ExternalName", "externalName": "localhost"}})
    management.create({"kind": "APIService", "apiVersion": "apiregistration.k8s.io/v1", "metadata": {"name": SERVICE},
                       "spec": {"group": "fleet.corset.dev", "version": "v1alpha1", "groupPriorityMinimum": 1000,
                                "versionPriority": 15, "service": {"name": "corset-fleet", "namespace": SYSTEM,
                                                                   "port": port}}})


def is_available(fixture):
    conditions = fixture.management.get("APIService", None, SERVICE).get("status", {}).get("conditions", [])
    return any(one["type"] == "Available" and one["status"] == "True" for one in conditions)


def serve(fixture):
    """A controller behind the APIService, with a cluster on each of two planes; gives its port."""
    port = steady_ports(1)[0]
    register(fixture, port)
    fixture.cluster("a", fixture.blue)
    fixture.cluster("b", fixture.green)
    fixture.start(f"--fleet-addr=127.0.0.1:{port}", f"--fleet-secret={SYSTEM}/corset-fleet")
    until("the APIService is available", lambda: is_available(fixture), 90)
    for cluster in ("a", "b"):
        until(f"{cluster} is connected", lambda cluster=cluster: fixture.management.request(
            "GET", one(fixture, cluster, "/version"))[0] == 200)
    return port


def end(fixture):
    fixture.management.delete("APIService", None, SERVICE)
    fixture.management.delete("Service", SYSTEM, "corset-fleet")


def person(fixture, name):
    """A user of the management cluster with a certificate and no rights."""
    described = fixture.options.state["planes"]["management"]
    authority = Authority(os.path.dirname(described["authority"]), "management")
    return Server(described["url"], described["authority"], *authority.client(f"{fixture.namespace}-{name}", name))


def allow(fixture, name, rules):
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": name, "namespace": fixture.namespace}, "rules": rules}
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
               "metadata": {"name": name, "namespace": fixture.namespace},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
               "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}]}
    fixture.management.create(role)
    fixture.management.create(binding)


def asked_directly(fixture, port, certificate=None):
    """The status of a request that does not come from kube-apiserver."""
    path = os.path.join(fixture.folder, "fleet-ca.crt")
    with open(path, "wb") as file:
        file.write(base64.b64decode(fixture.management.get("Secret", SYSTEM, "corset-fleet")["data"]["ca.crt"]))
    server = Server(f"https://127.0.0.1:{port}", path, *(certificate or ()))
    connection = http.client.HTTPSConnection(server.host, server.port, timeout=20, context=server._tls)
    connection.request("GET", one(fixture, "a", "/version"), headers={
        "X-Remote-User": "kubernetes-admin", "X-Remote-Group": "system:masters"})
    return connection.getresponse().status


@scenario(serial=True)
def fq_31_one_cluster_behind_kube_apiserver(fixture):
    port = serve(fixture)
    management, blue = fixture.management, fixture.blue

    # FQ-02: as it is.
    path = "/api/v1/namespaces/default"
    check_equal("an object", management.request("GET", one(fixture, "a", path), raw=True),
                blue.admin.request("GET", path, raw=True))

    # FQ-03: writes, with the name of the caller in the audit log of the cluster.
    maps = f"/api/v1/namespaces/{fixture.namespace}/configmaps"
    thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"k": "1"}}
    check_equal("create", management.request("POST", one(fixture, "a", maps), thing)[0], 201)
    check_equal("patch", management.request("PATCH", one(fixture, "a", maps + "/x"), {"data": {"k": "2"}},
                                            content_type="application/merge-patch+json")[0], 200)
    applied = json.dumps({**thing, "data": {"j": "3"}}).encode()
    check_equal("apply", management.request("PATCH", one(fixture, "a", maps + "/x?fieldManager=m"), applied,
                                            content_type="application/apply-patch+yaml")[0], 200)
    check_equal("what is there", blue.admin.get("ConfigMap", fixture.namespace, "x")["data"], {"k": "2", "j": "3"})
    check_equal("delete", management.request("DELETE", one(fixture, "a", maps + "/x"))[0], 200)
    written = [entry for entry in blue.writes() if entry["objectRef"].get("name") == "x"]
    check_equal("verbs in the audit log", [entry["verb"] for entry in written], ["create", "patch", "patch", "delete"])
    check_equal("the caller in the audit log", [entry["impersonatedUser"]["username"] for entry in written],
                ["kubernetes-admin"] * 4)

    # FQ-04, FQ-05: rights on one cluster alone, and the cluster's own.
    ann = person(fixture, "ann")
    allow(fixture, "ann", [{"apiGroups": ["fleet.corset.dev"], "resources": ["clusters/proxy"], "resourceNames": ["a"],
                            "verbs": ["get"]}])
    until("ann may", lambda: ann.request("GET", one(fixture, "a", "/version"))[0] == 200)
    check_equal("another cluster", ann.request("GET", one(fixture, "b", "/version"))[0], 403)
    check_equal("another verb", ann.request("POST", one(fixture, "a", maps), thing)[0], 403)
    status, answer = ann.request("GET", one(fixture, "a", maps))
    check_equal("what the cluster does not allow", (status, answer["reason"]), (403, "Forbidden"))
    check("it is the cluster that says it", 'User "ann" cannot list resource "configmaps"' in answer["message"])
    check_equal("all clusters", ann.request("GET", every("/api/v1/nodes"))[0], 403)

    # FQ-08: who does not come through kube-apiserver.
    planes = fixture.options.state["planes"]
    admin = planes["management"]["admin"]
    foreign = Authority(os.path.join(fixture.folder, "foreign"), "foreign").client("f", "front-proxy-client")
    front = Authority(os.path.join(planes["management"]["folder"], "front-proxy"), "front").client("other", "kubelet")
    for what, certificate in (("none", None), ("the client authority's", admin), ("a foreign one", foreign),
                              ("another name", front)):
        check_equal(f"certificate: {what}", asked_directly(fixture, port, certificate), 401)
    end(fixture)


@scenario(serial=True)
def fq_31_all_clusters_behind_kube_apiserver(fixture):
    serve(fixture)
    management = fixture.management
    maps = f"/api/v1/namespaces/{fixture.namespace}/configmaps"
    for workload, name in ((fixture.blue, "x"), (fixture.green, "y"), (fixture.green, "z")):
        workload.admin.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": name, "namespace": fixture.namespace, "labels": {"mine": "yes"}}})

    # FQ-13: annotated and ordered.
    query = f"{maps}?labelSelector=mine%3Dyes&clusterNamespace={fixture.namespace}"
    status, text = management.request("GET", every(query), raw=True)
    answer = json.loads(text)
    check_equal("status", status, 200)
    check_equal("items", [(item["metadata"]["annotations"]["fleet.corset.dev/cluster"], item["metadata"]["name"])
                          for item in answer["items"]],
                [(f"{fixture.namespace}/{cluster}", name) for cluster, name in (("a", "x"), ("b", "y"), ("b", "z"))])
    check_equal("twice", management.request("GET", every(query), raw=True)[1], text)

    # FQ-14: kubectl, with the path as its server.
    shown = kubectl(fixture, "--server", management.url + P + "/fleet", "-n", fixture.namespace, "get", "configmaps",
                    "-l", "mine=yes").splitlines()
    check_equal("columns", shown[0].split()[:2], ["CLUSTER", "NAME"])
    check_equal("rows", [line.split()[:2] for line in shown[1:]],
                [[f"{fixture.namespace}/{cluster}", name] for cluster, name in (("a", "x"), ("b", "y"), ("b", "z"))])

    # FQ-19: a cluster that does not answer is named.
    fixture.cluster("c", url=f"https://127.0.0.1:{steady_ports(1)[0]}")
    until("c is counted", lambda: "asked=3, answered=2, failed=1, forbidden=0" in management.request(
        "GET", every(query), raw=True)[1])
    answer = json.loads(management.request("GET", every(query), raw=True)[1])
    check_equal("items", len(answer["items"]), 3)
    check("its name", f"{fixture.namespace}/c" in answer["metadata"]["warning"])
    check_equal("partial=forbid", management.request("GET", every(query + "&partial=forbid"))[0], 504)
    end(fixture)


@scenario(serial=True)
def fq_29_a_kubeconfig_for_one_real_cluster(fixture):
    serve(fixture)
    path = os.path.join(fixture.folder, "a.kubeconfig")
    done = subprocess.run([fixture.options.corset, "cluster", "kubeconfig", "a", "-n", fixture.namespace, "--kubeconfig",
                           install.admin_kubeconfig(fixture.options)], capture_output=True, text=True, timeout=30)
    check_equal("corset cluster kubeconfig: " + done.stderr, done.returncode, 0)
    with open(path, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    with open(fixture.blue.server.key, "rb") as file:
        check("it has no credential of the cluster", base64.b64encode(file.read()).decode() not in done.stdout)
    kubectl(fixture, "-n", fixture.namespace, "create", "configmap", "k", "--from-literal=a=1", kubeconfig=path)
    check_equal("what kubectl made", fixture.blue.admin.get("ConfigMap", fixture.namespace, "k")["data"], {"a": "1"})
    check("namespaces", "kube-system" in kubectl(fixture, "get", "namespaces", kubeconfig=path))
    check("documentation", "immutable" in kubectl(fixture, "explain", "configmap", kubeconfig=path))
    kubectl(fixture, "-n", fixture.namespace, "apply", "--server-side", "-f", "-", kubeconfig=path, text=json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "k"}, "data": {"b": "2"}}))
    kubectl(fixture, "-n", fixture.namespace, "wait", "configmap/k", "--for", "jsonpath={.data.b}=2", kubeconfig=path)
    check_equal("who did it, for the audit log", {entry["impersonatedUser"]["username"] for entry in fixture.blue.writes()
                                                  if entry["objectRef"].get("name") == "k"}, {"kubernetes-admin"})
    use_helm(fixture, path)
    use_k9s(fixture, path)
    end(fixture)


def tool(name):
    """Where a program is that tools/NAME builds, or None."""
    found = subprocess.run([os.path.join(ROOT, "tools", name), "--where"], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def use_helm(fixture, kubeconfig):
    helm = tool("helm")
    if not helm:
        fixture.tell("there is no helm; tools/helm builds it")
        return
    chart = os.path.join(fixture.folder, "chart")
    os.makedirs(os.path.join(chart, "templates"))
    with open(os.path.join(chart, "Chart.yaml"), "w", encoding="utf-8") as file:
        file.write("apiVersion: v2\nname: small\nversion: 0.1.0\n")
    with open(os.path.join(chart, "templates", "map.yaml"), "w", encoding="utf-8") as file:
        file.write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: helm}\ndata: {v: \"{{ .Values.v }}\"}\n")

    def run(*arguments):
        done = subprocess.run([helm, "--kubeconfig", kubeconfig, "-n", fixture.namespace, *arguments],
                              capture_output=True, text=True, timeout=90)
        check(f"helm {arguments[0]}: {done.stderr}", done.returncode == 0)
        return done.stdout

    def made():
        return fixture.blue.admin.get("ConfigMap", fixture.namespace, "helm")["data"]["v"]

    run("install", "small", chart, "--set", "v=1")
    check_equal("installed", made(), "1")
    check_equal("listed", [(one["name"], one["status"]) for one in json.loads(run("list", "-o", "json"))],
                [("small", "deployed")])
    run("upgrade", "small", chart, "--set", "v=2")
    check_equal("upgraded", made(), "2")
    run("rollback", "small", "1")
    check_equal("rolled back", made(), "1")
    run("uninstall", "small", "--wait")
    check_equal("uninstalled", fixture.blue.admin.request(
        "GET", f"/api/v1/namespaces/{fixture.namespace}/configmaps/helm")[0], 404)
    shutil.rmtree(chart)


def use_k9s(fixture, kubeconfig):
    """Its screen, as on a virtual cluster. It takes minutes to build and draws when it likes: by hand, with CORSET_K9S=1."""
    if not os.environ.get("CORSET_K9S") or not tool("k9s"):
        return
    done = subprocess.run([os.path.join(ROOT, "tests/peers/fleet/k9s"), fixture.options.corset, kubeconfig],
                          capture_output=True, text=True, timeout=180)
    check(f"k9s: {done.stdout}{done.stderr}", done.returncode in (0, 77))
    fixture.tell(done.stdout.strip())
