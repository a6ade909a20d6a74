"""What a scenario finds: a namespace of its own on every server, clusters, sets and a controller for them.

Scenarios run side by side on the same servers. Each has a controller of its own that sees its namespace
alone (`--namespace`), and a user of its own on the workload clusters, so that the servers' audit logs tell
what it did there.
"""
import base64
import json
import os
import random
import subprocess
import time

from lib.audit import Audit, summary
from lib.certificates import Authority
from lib.controller import Controller
from lib.driver import Driver
from lib.kube import ApiError, Server, until

SELECTED = {"cni": "calico"}
SYSTEM = "corset-system"
GROUP = "addons.cluster.x-k8s.io/v1beta2"
RESOURCE_TYPE = "addons.cluster.x-k8s.io/resource-set"
PROBE = "/?timeout=5s"
TOKEN_LIFE = 6 * 3600  # seconds


class Workload:
    """A workload cluster as this scenario sees it."""

    def __init__(self, described, user):
        self.described = described
        self.admin = Server(described["url"], described["authority"], *described["admin"])
        authority = Authority(os.path.dirname(described["authority"]), described["name"])
        self.user = user
        self.server = Server(described["url"], described["authority"],
                             *authority.client(user, user, ["system:masters"]))
        self.authority = authority
        self.audit = Audit(described["folder"])

    @property
    def port(self):
        return self.server.port

    def requests(self, **more):
        """What reached it from this scenario's controllers, health probes left out."""
        return [entry for entry in self.audit.entries(user=self.user, **more) if entry["requestURI"] != PROBE]

    def writes(self):
        return self.audit.writes(user=self.user)


class Fixture:
    """Everything is removed by `close()`."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        planes = options.state["planes"]
        self.namespace = name.split("_a_")[0].replace("_", "-")[:30].strip("-") + f"-{random.randrange(16 ** 5):05x}"
        self.folder = os.path.join(options.folder, "scenarios", name)
        os.makedirs(self.folder, exist_ok=True)
        for left in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, left))
        described = planes["management"]
        self.management = Server(described["url"], described["authority"], *described["admin"])
        self.audit = Audit(described["folder"])
        self.blue, self.green = (Workload(planes[color], f"{self.namespace}-{color}")
                                 for color in ("blue", "green"))
        self.controllers, self.controller = [], None
        self.may_be_refused = False
        self.nodes = []
        for server in (self.management, self.blue.admin, self.green.admin):
            server.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": self.namespace}})

    def tell(self, fact):
        """A line for people; all of them are shown at the end of `make conformance`."""
        print(fact, flush=True)
        with open(os.path.join(self.options.folder, "facts"), "a", encoding="utf-8") as file:
            file.write(f"{self.name}: {fact}\n")

    # -- controllers

    def token(self, account="corset", namespace=SYSTEM):
        """A new token of a service account; without more words the one that deploy/ makes."""
        return self.management.ask("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", {
            "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1",
            "spec": {"expirationSeconds": TOKEN_LIFE}})["status"]["token"]

    def kubeconfig(self, token, url=None):
        """For the management cluster."""
        return Server(self.management.url, self.management.authority, token=token).kubeconfig(url)

    def start(self, *flags, name="controller", url=None, everywhere=False, wait=True, kubeconfig=None):
        """Starts a controller with a token of its own; the first one is `self.controller`."""
        scope = () if everywhere else ("--namespace", self.namespace)
        token = self.token()
        started = Controller(self.options.corset, self.folder, name, kubeconfig or self.kubeconfig(token, url),
                             *scope, *flags)
        started.credential = "JTI=" + token_id(token)
        self.controllers.append(started)
        self.controller = self.controller or started
        if wait:
            started.wait_ready()
        return started

    def drive(self, environment=None, name="driver", **settings):
        """Starts a driver, which has a ClusterCache and does what it is told."""
        token = self.token()
        started = Driver(self.options.driver, self.folder, name, self.kubeconfig(token), environment,
                         namespace=self.namespace, **settings)
        started.credential = "JTI=" + token_id(token)
        self.controllers.append(started)
        return started

    def close(self):
        """Ends the controllers, which must end well, and takes the objects away."""
        codes = [(one.name, one.process.poll() or one.stop(), one.complaints()) for one in self.controllers]
        for kind in ("ClusterResourceSet", "ClusterResourceSetBinding", "Cluster"):
            for thing in self.management.list(kind, self.namespace):
                if thing["metadata"].get("finalizers"):
                    self._quietly(self.management.patch, kind, self.namespace, thing["metadata"]["name"],
                                  {"metadata": {"finalizers": None}})
                self._quietly(self.management.delete, kind, self.namespace, thing["metadata"]["name"])
        for admin, name in self.nodes:
            self._quietly(admin.delete, "Node", None, name)
        for server in (self.management, self.blue.admin, self.green.admin):
            self._quietly(server.delete, "Namespace", None, self.namespace)
        mine = set() if self.may_be_refused else {one.credential for one in self.controllers}
        check_equal("what the shipped roles do not allow", summary(
            entry for entry in self.audit.entries() if entry.get("responseStatus", {}).get("code") == 403
            and credential_of(entry) in mine), [])
        for name, code, complaints in codes:
            check_equal(f"the exit code of {name}", code if code != -9 else 0, 0)
            check_equal(f"complaints of sanitizers in {name}", complaints, [])

    @staticmethod
    def _quietly(do, *arguments):
        try:
            do(*arguments)
        except (ApiError, OSError):
            pass

    # -- objects

    def cluster(self, name="c1", workload=None, labels=None, url=None, kubeconfig=None, provisioned=True,
                namespace=None, **spec):
        """A Cluster with its kubeconfig Secret, as an infrastructure provider leaves them."""
        workload = workload or self.blue
        namespace = namespace or self.namespace
        if kubeconfig is None:
            kubeconfig = workload.server.kubeconfig(url)
        if kubeconfig:
            self.kubeconfig_secret(name, kubeconfig, namespace)
        made = self.management.create({
            "kind": "Cluster", "apiVersion": "cluster.x-k8s.io/v1beta2",
            "metadata": {"name": name, "namespace": namespace, "labels": SELECTED if labels is None else labels},
            "spec": spec or {"controlPlaneEndpoint": {"host": "127.0.0.1", "port": workload.port}}})
        if provisioned:
            self.management.patch("Cluster", namespace, name, {"status": {"initialization": {
                "infrastructureProvisioned": True}}}, "status")
        return made

    def kubeconfig_secret(self, cluster, kubeconfig, namespace=None):
        namespace = namespace or self.namespace
        name = f"{cluster}-kubeconfig"
        thing = {"kind": "Secret", "apiVersion": "v1", "type": "cluster.x-k8s.io/secret",
                 "metadata": {"name": name, "namespace": namespace,
                              "labels": {"cluster.x-k8s.io/cluster-name": cluster}},
                 "data": {"value": encoded(kubeconfig)}}
        if self.management.put_in(thing) is None:
            self.management.patch("Secret", namespace, name, {"data": thing["data"]})

    def map(self, name="cm1", data=None, namespace=None, **more):
        """A ConfigMap of manifests: a text for one key, or the keys."""
        data = {"manifests": data} if isinstance(data, str) else data
        return self.management.create({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {
            "name": name, "namespace": namespace or self.namespace}, "data": data or {}, **more})

    def change_map(self, name, text):
        return self.management.patch("ConfigMap", self.namespace, name, {"data": {"manifests": text}})

    def secret(self, name="s1", data="", kind=RESOURCE_TYPE):
        data = {"manifests": data} if isinstance(data, (str, bytes)) else data
        return self.management.create({"kind": "Secret", "apiVersion": "v1", "type": kind, "metadata": {
            "name": name, "namespace": self.namespace}, "data": {key: encoded(data[key]) for key in data}})

    def set(self, name="crs1", resources=("ConfigMap/cm1",), strategy="ApplyOnce", selector=None, namespace=None,
            **metadata):
        spec = {"clusterSelector": selector or {"matchLabels": SELECTED},
                "resources": [dict(zip(("kind", "name"), one.split("/"))) for one in resources]}
        if strategy:
            spec["strategy"] = strategy
        return self.management.create({"kind": "ClusterResourceSet", "apiVersion": GROUP, "metadata": {
            "name": name, "namespace": namespace or self.namespace, **metadata}, "spec": spec})

    def manifest(self, name="a", value="1", namespace=None):
        """A ConfigMap as a manifest, in the scenario's namespace of the workload cluster."""
        return (f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"
                f"  namespace: {namespace or self.namespace}\ndata:\n  k: \"{value}\"\n")

    def node(self, name, provider=None, workload=None):
        """A Node of the workload cluster, which all scenarios share; returns its full name."""
        admin, full = (workload or self.blue).admin, f"{self.namespace}-{name}"
        self.nodes.append((admin, full))
        admin.create({"kind": "Node", "apiVersion": "v1", "metadata": {"name": full},
                      "spec": {"providerID": provider} if provider else {}})
        return full

    # -- what there is

    def get_set(self, name="crs1"):
        return self.management.get("ClusterResourceSet", self.namespace, name)

    def get_binding(self, cluster="c1"):
        return self.management.get("ClusterResourceSetBinding", self.namespace, cluster)

    def live(self, name="a", workload=None, kind="ConfigMap"):
        """The object in the workload cluster, or None."""
        return (workload or self.blue).admin.get(kind, self.namespace, name)

    def value(self, name="a", workload=None):
        """The datum of an object that `manifest()` described; None without it."""
        live = self.live(name, workload)
        return live["data"].get("k") if live else None

    def condition(self, kind="ResourcesApplied", name="crs1"):
        """status/reason/message, or "-"."""
        status = (self.get_set(name) or {}).get("status", {})
        for one in status.get("conditions", []):
            if one["type"] == kind:
                return f"{one['status']}/{one.get('reason', '')}/{one.get('message', '')}"
        return "-"

    def deprecated(self, name="crs1"):
        """status/reason/severity/message of the v1beta1 condition, or "-"."""
        status = (self.get_set(name) or {}).get("status", {})
        for one in status.get("deprecated", {}).get("v1beta1", {}).get("conditions", []):
            if one["type"] == "ResourcesApplied":
                return "/".join([one["status"], *(one.get(key, "") for key in ("reason", "severity", "message"))])
        return "-"

    def entry(self, cluster="c1", name="crs1"):
        """What the binding says of a set: "ConfigMap/cm1 true hash, …"; None without an entry."""
        found = self.raw_entry(cluster, name)
        return None if found is None else ", ".join(
            f"{one['kind']}/{one['name']} {str(one['applied']).lower()}{' hash' if one.get('hash') else ''}"
            for one in found.get("resources", []))

    def raw_entry(self, cluster="c1", name="crs1"):
        binding = self.get_binding(cluster)
        for one in (binding or {}).get("spec", {}).get("bindings", []):
            if one["clusterResourceSetName"] == name:
                return one
        return None

    # -- waiting

    def await_condition(self, begin, kind="ResourcesApplied", name="crs1", timeout=60):
        """Until the condition's text begins so."""
        try:
            until(begin, lambda: self.condition(kind, name).startswith(begin), timeout)
        except AssertionError:
            raise AssertionError(f"{kind} of {name} is {self.condition(kind, name)!r}, not {begin!r}, "
                                 f"after {timeout} s") from None

    def await_applied(self, name="crs1", timeout=60):
        self.await_condition("True/Applied/", name=name, timeout=timeout)

    def await_settled(self, name="crs1", timeout=60):
        """Applied, and the end of the pass is in the status."""
        self.await_applied(name, timeout)
        until("observedGeneration is current", lambda: self._observed(name), timeout)

    def _observed(self, name):
        found = self.get_set(name)
        return found["status"].get("observedGeneration") == found["metadata"]["generation"]

    def await_log(self, text, controller=None, timeout=60):
        until(f"the log says {text!r}", lambda: text in (controller or self.controller).log(), timeout)

    def ready(self, strategy="ApplyOnce"):
        """c1 with crs1 (cm1 describes a, s1 describes b), everything applied."""
        self.cluster()
        self.map("cm1", self.manifest("a"))
        self.secret("s1", self.manifest("b"))
        if not self.controller:
            self.start()
        self.set(resources=("ConfigMap/cm1", "Secret/s1"), strategy=strategy)
        self.await_settled()

    def kick(self, name="crs1"):
        """An event that changes nothing that counts."""
        self.management.patch("ClusterResourceSet", self.namespace, name, {"metadata": {"annotations": {
            "scenario/kick": str(time.time())}}})

    def mark_all(self):
        """What comes from here on counts; Events follow what they tell of within a moment."""
        time.sleep(1)
        for audit in (self.audit, self.blue.audit, self.green.audit):
            audit.mark()

    def check_quiet(self, seconds=3.0, kick=True):
        """Nothing is written anywhere, and nothing but probes is sent to workload clusters."""
        self.mark_all()
        if kick:
            self.kick()
        time.sleep(seconds)
        check_equal("writes to the management cluster", summary(self.audit.writes(namespace=self.namespace)), [])
        for workload in (self.blue, self.green):
            check_equal(f"requests to {workload.described['name']}", summary(workload.requests()), [])

    def run(self, *command, **more):
        """Runs a program and returns what it printed; it must succeed."""
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout


def token_id(token):
    """The id that audit logs show for a service account's token."""
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["jti"]


def credential_of(entry):
    return entry["user"].get("extra", {}).get("authentication.kubernetes.io/credential-id", [""])[0]


def encoded(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def check(what, holds):
    if not holds:
        raise AssertionError(f"does not hold: {what}")


def check_equal(what, actual, wanted):
    if actual != wanted:
        raise AssertionError(f"{what}:\n  is     {json.dumps(actual)}\n  wanted {json.dumps(wanted)}")


def check_in(what, part, whole):
    if part not in whole:
        raise AssertionError(f"{what}: {part!r} is not in {whole!r}")


def refused(do, *arguments, **more):
    """The message of the refusal of what must be refused."""
    try:
        do(*arguments, **more)
    except ApiError as error:
        return f"{error.status} {error.message}"
    raise AssertionError("was not refused")
