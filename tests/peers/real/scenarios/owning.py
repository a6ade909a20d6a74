"""FW-*: the framework on a real server, by the controller of examples/web: a Web owns three objects.

It sees all namespaces, so everything is one scenario, on blue.
"""
import os
import subprocess
import time

from lib.audit import summary
from lib.install import kubectl
from lib.kube import Server, until
from lib.plane import die_with_parent, free_ports
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario

NAME = "w1"
CHILDREN = {"ConfigMap": f"{NAME}-web-config", "Deployment": f"{NAME}-web-server", "Service": f"{NAME}-web"}


class Webs:
    """The server, as the scenario's user, and the controller as another."""

    def __init__(self, fixture, user=None):
        self.fixture, self.namespace = fixture, fixture.namespace
        self.server, self.audit = fixture.blue.admin, fixture.blue.audit
        kubeconfig = os.path.join(fixture.folder, "web.kubeconfig")
        with open(kubeconfig, "w", encoding="utf-8") as file:
            file.write((user or fixture.blue.server).kubeconfig())
        if not user:
            fixture.run(kubectl(fixture.options.root, fixture.options.assets), "--kubeconfig", kubeconfig, "apply", "-f",
                      os.path.join(fixture.options.root, "examples/web/crd.yaml"))
        until("Webs are served", lambda: self.server.request("GET", "/apis/example.corset.dev/v1/webs")[0] == 200, 30)
        program = os.path.join(os.path.dirname(fixture.options.corset), "examples", "web")
        health, diagnostics = free_ports(2)
        with open(os.path.join(fixture.folder, "web.log"), "ab") as log:
            self.process = subprocess.Popen(
                [program, "--kubeconfig", kubeconfig, "--v", "4", f"--health-addr=127.0.0.1:{health}",
                 f"--diagnostics-address=127.0.0.1:{diagnostics}"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)

    def make(self, name=NAME, message="hello", **metadata):
        return self.server.create({"kind": "Web", "apiVersion": "example.corset.dev/v1", "metadata": {
            "name": name, "namespace": self.namespace, **metadata}, "spec": {"message": message}})

    def get(self, kind, name=None):
        return self.server.get(kind, self.namespace, name or CHILDREN[kind])

    def condition(self, kind, name=NAME):
        """status/reason, or "-"."""
        for one in (self.get("Web", name) or {}).get("status", {}).get("conditions", []):
            if one["type"] == kind:
                return f"{one['status']}/{one.get('reason', '')}"
        return "-"

    def message(self, kind, name=NAME):
        """The message of a condition, or ""."""
        return next((one["message"] for one in (self.get("Web", name) or {}).get("status", {}).get("conditions", [])
                     if one["type"] == kind), "")

    def await_state(self, in_progress, failed, name=NAME):
        """Both conditions, for the generation there is."""
        def state():
            web = self.get("Web", name)
            return (self.condition("InProgress", name), self.condition("Failed", name),
                    web.get("status", {}).get("observedGeneration") == web["metadata"]["generation"])
        try:
            until(f"{name}: {in_progress}, {failed}", lambda: state() == (in_progress, failed, True), 40)
        except AssertionError:
            check_equal(f"{name}: InProgress, Failed", state(), (in_progress, failed, True))

    def make_ready(self, name=NAME, failed="False/", in_progress="False/"):
        """Says of the Deployment what its controller would say."""
        deployment = f"{name}-web-server"
        live = until("the Deployment", lambda: self.get("Deployment", deployment), 20)
        count = live["spec"]["replicas"]
        self.server.patch("Deployment", self.namespace, deployment, {"status": {
            "observedGeneration": live["metadata"]["generation"], "replicas": count, "updatedReplicas": count,
            "readyReplicas": count, "availableReplicas": count, "conditions": [
                {"type": "Available", "status": "True", "reason": "a", "message": ""},
                {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": ""}]}}, "status")
        self.await_state(in_progress, failed, name)

    def writes(self):
        return self.audit.entries(agent="", verbs=("create", "update", "patch", "delete"), user=self.fixture.blue.user,
                                  namespace=self.namespace)

    def applied(self):
        """The kinds' resources that were applied since the mark, in order; conditions are left out."""
        return [one["objectRef"]["resource"] for one in self.writes() if one["objectRef"]["resource"] != "webs"]

    def check_quiet(self, what):
        time.sleep(2)
        check_equal(f"writes after {what}", summary(self.writes()), [])

    def mark(self):
        time.sleep(0.5)
        self.audit.mark()


def begins(webs):
    """FW-03, FW-40, FW-60, FW-92, FW-08: a new Web."""
    web = webs.make()
    webs.await_state("True/recoverrableError", "True/dependencyStatus")
    check("FW-08: it says of whom", webs.message("Failed").startswith(
        f"Deployment.apps {webs.namespace}/{CHILDREN['Deployment']}"))
    resources = [one["objectRef"]["resource"] for one in webs.writes()]
    check_equal("FW-03: first the status", resources[0], "webs")
    check_equal("FW-40: then each child once", sorted(one for one in resources if one != "webs"),
                ["configmaps", "deployments", "services"])
    for one in webs.writes():
        if one["objectRef"]["resource"] != "configmaps":
            continue
        check_in("FW-60", "fieldManager=web", one["requestURI"])
        check_in("FW-60", "force=true", one["requestURI"])
        body = one["requestObject"]
        check_equal("FW-60: no part of others", [key for key in ("managedFields", "resourceVersion")
                                                if key in body["metadata"]] + (["status"] if "status" in body else []), [])
    for kind in CHILDREN:
        meta = webs.get(kind)["metadata"]
        check_equal(f"FW-40: marker of {kind}", meta["annotations"].get(f"{webs.namespace}.web.checksum.corset.dev/{NAME}"),
                    "1")
        check_in(f"FW-92: warning of {kind}", "managed by *web*", meta["annotations"]["corset.dev/warning"])
        check_equal(f"FW-92: labels of {kind}", meta["labels"], {"corset.dev/operator-controller": "web",
                                                                 "corset.dev/operator-version": "1.0.0"})
        owners = meta["ownerReferences"]
        check_equal(f"FW-92: owners of {kind}", [(one["uid"], one["controller"]) for one in owners],
                    [(web["metadata"]["uid"], True)])


def rests(webs):
    """FW-04, FW-09: readiness alone leads on. FW-05, FW-41, FW-42, FW-14, FW-50: afterwards nothing is written."""
    webs.make_ready()
    check_equal("FW-41: nothing was applied for that", len(webs.applied()), len(CHILDREN))
    webs.mark()
    webs.server.patch("Web", webs.namespace, NAME, {"metadata": {"labels": {"a": "b"}}})
    webs.check_quiet("a label of the Web")
    conditions = webs.get("Web", NAME)["status"]["conditions"]
    foreign = {"type": "Foreign", "status": "True", "reason": "Mine", "message": "stays"}
    webs.server.patch("Web", webs.namespace, NAME, {"status": {"conditions": [foreign, *conditions]}}, "status")
    webs.check_quiet("a condition of somebody else")
    webs.server.patch("Service", webs.namespace, CHILDREN["Service"], {"metadata": {"labels": {"by": "hand"}}})
    webs.check_quiet("an edit by hand")


def goes_on(webs):
    """FW-06, FW-43, FW-45: a new generation. FW-44: a blocker that changes. FW-51: a marker that is taken away."""
    webs.server.patch("Web", webs.namespace, NAME, {"spec": {"message": "other"}})
    until("FW-43: the marker", lambda: webs.get("Service")["metadata"]["annotations"].get(
        f"{webs.namespace}.web.checksum.corset.dev/{NAME}") == "2", 20)
    until("each child", lambda: sorted(webs.applied()) == ["configmaps", "deployments", "services"], 20)
    check_in("FW-45: the Deployment has the version made in this loop", webs.get("ConfigMap")["metadata"][
        "resourceVersion"], webs.get("Deployment")["metadata"]["annotations"].values())
    check_equal("FW-06: first the status", webs.writes()[0]["objectRef"]["resource"], "webs")
    webs.make_ready()
    check_equal("FW-14: the foreign condition is where it was", webs.get("Web", NAME)["status"]["conditions"][0]["type"],
                "Foreign")
    webs.mark()
    webs.server.patch("ConfigMap", webs.namespace, CHILDREN["ConfigMap"], {"data": {"index.html": "by hand"}})
    version = webs.get("ConfigMap")["metadata"]["resourceVersion"]
    until("FW-44: the Deployment has the version", lambda: version in str(
        webs.get("Deployment")["spec"]["template"]["metadata"].get("annotations")), 20)
    webs.make_ready()
    check_equal("FW-44: nothing else is applied", webs.applied(), ["deployments"])
    webs.mark()
    webs.server.patch("Service", webs.namespace, CHILDREN["Service"], {"metadata": {"annotations": {
        f"{webs.namespace}.web.checksum.corset.dev/{NAME}": None}}})
    until("FW-51: it is applied", lambda: webs.applied() == ["services"], 20)


def refuses(webs):
    """FW-10, FW-62, FW-66: what trying again does not help."""
    webs.make("bad", "<b>")
    webs.await_state("False/", "True/invalidSpec", "bad")
    check_equal("FW-10: nothing is applied", webs.get("ConfigMap", "bad-web-config"), None)
    long = "w" * 60
    webs.make(long)
    webs.make_ready(long, "True/dependencySpec")  # FW-62: no Service has such a name
    webs.server.create({"kind": "Service", "apiVersion": "v1", "metadata": {
        "name": "w3-web", "namespace": webs.namespace, "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "1", "controller": True}]},
        "spec": {"ports": [{"port": 80}]}})
    before = webs.get("Service", "w3-web")
    webs.make("w3")
    webs.make_ready("w3", "True/dependencySpec")
    check_equal("FW-66: somebody else's stays as it is", webs.get("Service", "w3-web"), before)


def begins_anew(webs):
    """FW-01: a Web that is gone. FW-67: another of the same name, while the children of the first are still there."""
    webs.mark()
    webs.server.delete("Web", webs.namespace, NAME)
    webs.check_quiet("FW-01: the end of a Web")
    before = {kind: webs.get(kind) for kind in CHILDREN}
    uid = webs.make()["metadata"]["uid"]
    until("it is noticed", lambda: webs.condition("Failed").startswith("True/"), 20)
    time.sleep(2)
    check_equal("FW-67: children of the first", {kind: webs.get(kind) for kind in CHILDREN}, before)
    for kind in CHILDREN:  # what a garbage collector does
        webs.server.delete(kind, webs.namespace, CHILDREN[kind])
    until("FW-67: its own are there", lambda: all((webs.get(kind) or {"metadata": {"ownerReferences": [{"uid": ""}]}})[
        "metadata"]["ownerReferences"][0]["uid"] == uid for kind in CHILDREN), 60)


def leaves_alone(webs):
    """FW-02: a Web that is being deleted when the controller begins; returns the new controller."""
    webs.stop()
    webs.make("w4", finalizers=["example.com/mine"])
    webs.server.delete("Web", webs.namespace, "w4")
    webs.mark()
    again = Webs(webs.fixture)
    again.make("w5")
    again.await_state("True/recoverrableError", "True/dependencyStatus", "w5")
    check_equal("FW-02: writes", [one for one in summary(again.writes()) if "/w4" in one], [])
    again.server.patch("Web", webs.namespace, "w4", {"metadata": {"finalizers": None}})
    return again


RIGHTS = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
          {"apiGroups": ["*"], "resources": ["webs", "webs/status", "webs/finalizers", "configmaps", "deployments",
                                             "events"], "verbs": ["create", "update", "patch"]}]


def has_rights(webs, rules):
    name = f"{webs.namespace}-web"
    about = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
    if webs.server.put_in({"kind": "ClusterRole", "rules": rules, **about}) is None:
        webs.server.patch("ClusterRole", None, name, {"rules": rules})
    webs.server.put_in({"kind": "ClusterRoleBinding", **about, "subjects": [{"kind": "User", "name": name}], "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}})
    return name


def is_refused(webs):
    """FW-61: a controller that may not write Services says so, and goes on when it may; returns that controller."""
    webs.stop()
    name = has_rights(webs, RIGHTS)
    described = webs.fixture.blue.server
    limited = Webs(webs.fixture, Server(described.url, described.authority,
                                      *webs.fixture.blue.authority.client(name, name, [])))
    limited.make("w6")
    limited.make_ready("w6", "True/dependencyStatus", "True/recoverrableError")
    until("FW-61: the server's words", lambda: "is forbidden" in limited.message("Failed", "w6"), 20)
    has_rights(webs, [*RIGHTS, {"apiGroups": [""], "resources": ["services"], "verbs": ["create", "patch"]}])
    limited.await_state("False/", "False/", "w6")
    for kind in ("ClusterRoleBinding", "ClusterRole"):
        webs.server.delete(kind, None, name)
    return limited


@scenario()
def fw_01_a_controller_of_somebody_else_on_the_framework(fixture):
    """FW-01 to FW-06, FW-08 to FW-10, FW-14, FW-40 to FW-45, FW-50, FW-51, FW-60 to FW-62, FW-66, FW-67, FW-92."""
    webs = Webs(fixture)
    try:
        begins(webs)
        rests(webs)
        goes_on(webs)
        refuses(webs)
        begins_anew(webs)
        webs = leaves_alone(webs)
        webs = is_refused(webs)
        check_equal("it ends well", webs.stop(), 0)
    finally:
        if webs.process.poll() is None:
            webs.stop()
        for one in webs.server.list("Web", fixture.namespace):
            webs.server.delete("Web", fixture.namespace, one["metadata"]["name"])
