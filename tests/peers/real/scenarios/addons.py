"""RA-06: real add-ons by server-side apply, on kube-apiserver and on a virtual cluster.

Each is a set with strategy Reconcile, cut by `corset bundle`. They are applied; applied again, which writes
nothing; one value of each is changed, and nothing else differs afterwards; a second writer changes fields of its
own and fields of ours, which the entries of managedFields tell apart; and applied again, the entries are what
they were. docs/decisions/0022-ownership.md says what was seen.
"""
import base64
import hashlib
import json
import os
import shutil
import subprocess

from lib import addons, install
from lib.apiserver import server_of
from lib.controller import Controller
from lib.fixture import check, check_equal
from lib.kube import until
from lib.plane import Plane, die_with_parent
from lib.scenario import scenario

SELECTED = {"addons": "yes"}
WORKLOADS = ("Deployment", "DaemonSet", "StatefulSet")
WITH_CONTROLLERS = ("CustomResourceDefinition", "APIService")  # the server itself writes their status, later
STRATEGIC = "application/strategic-merge-patch+json"
SECOND = "second-writer"
APPLY_LIMIT = 400  # seconds: kube-apiserver takes its time for a hundred definitions on a loaded machine

# Paths of objects that server-side apply cannot take as they are written.
MERGED = []


class Fleet:
    """A management API with the sets of the add-ons, and the one cluster that gets them."""

    def __init__(self, fixture, home, management, config, namespace, cluster, workload):
        self.fixture, self.home, self.management, self.config = fixture, home, management, config
        self.namespace, self.cluster, self.workload = namespace, cluster, workload
        self.kubectl = install.kubectl(fixture.options.root, fixture.options.assets)
        self.hashes, self.objects, self.resources = {}, {}, {}

    def put(self, addon, text):
        """The parts and the set of an add-on, as a user would make them."""
        source, folder = (os.path.join(self.home, name) for name in (f"{addon.name}.yaml", addon.name))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        self.fixture.run(self.fixture.options.corset, "bundle", "-f", source, "-o", folder, "--name", addon.name,
                         "--set", addon.name, "-l", "addons=yes", "--strategy", "Reconcile", "-n", self.namespace,
                         *(("--default-namespace", addon.namespace) if addon.namespace else ()))
        self.fixture.run(self.kubectl, "--kubeconfig", self.config, "apply", "--server-side", "-f", folder)
        shown = json.loads(self.fixture.run(self.fixture.options.corset, "render", "--expand-lists", "-o", "json",
                                            "-f", folder))["resources"]
        self.hashes[addon.name] = {one["name"]: one["hash"] for one in shown}
        self.objects[addon.name] = [thing for one in shown for thing in one["objects"]]

    # -- what is recorded

    def applied(self):
        """Those add-ons whose newest content the binding has as applied."""
        binding = self.management.get("ClusterResourceSetBinding", self.namespace, self.cluster) or {}
        recorded = {one["clusterResourceSetName"]: {
            resource["name"]: resource.get("hash") for resource in one.get("resources", []) if resource["applied"]}
            for one in binding.get("spec", {}).get("bindings", [])}
        return {name for name, hashes in self.hashes.items() if recorded.get(name) == hashes}

    def await_applied(self):
        try:
            until("all add-ons are applied", lambda: self.applied() == set(self.hashes), APPLY_LIMIT, 0.5)
        except AssertionError:
            lacking = {name: self._condition(name) for name in set(self.hashes) - self.applied()}
            raise AssertionError(f"not applied: {json.dumps(lacking, indent=1)}") from None

    def _condition(self, name):
        status = self.management.get("ClusterResourceSet", self.namespace, name).get("status", {})
        return [one["message"] for one in status.get("conditions", []) if one["type"] == "ResourcesApplied"]

    def apply_again(self):
        """A binding that is lost makes every set be applied once more."""
        self.management.delete("ClusterResourceSetBinding", self.namespace, self.cluster)
        self.await_applied()

    # -- what is there

    def path(self, addon, thing):
        version = thing["apiVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if root not in self.resources:
            self.resources[root] = {one["kind"]: one for one in self.workload.ask("GET", root)["resources"]
                                    if "/" not in one["name"]}
        resource = self.resources[root][thing["kind"]]
        namespace = f"/namespaces/{thing['metadata'].get('namespace') or addon.namespace}"
        return f"{root}{namespace if resource['namespaced'] else ''}/{resource['name']}/{thing['metadata']['name']}"

    def look(self, all_of_them):
        """All objects, by their paths, with the add-on each is of."""
        return {path: (addon, self.workload.ask("GET", path)) for addon in all_of_them for path in sorted(
            {self.path(addon, thing) for thing in self.objects[addon.name]})}

    def manager(self, addon):
        return f"corset:{self.namespace}/{addon.name}"

    def entry(self, addon, live):
        """The fields that the add-on's set has; None if it applied none."""
        for one in live["metadata"].get("managedFields", []):
            if one["manager"] == self.manager(addon) and one["operation"] == "Apply":
                return one["fieldsV1"]
        return None


def digest(fields):
    """As the object digest of drift: the first 8 bytes."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


def is_foreign(entry):
    """Not a writer's entry of the object: of the status, or what the server makes when a bare object is applied again."""
    return entry.get("subresource") == "status" or entry["manager"] == "before-first-apply"


def settled(live):
    """What nobody but a writer of the object changes: without versions, times and the status of controllers."""
    kept = json.loads(json.dumps(live))
    meta = kept["metadata"]
    meta.pop("resourceVersion")
    meta.pop("generation", None)
    meta.get("annotations", {}).pop("deprecated.daemonset.template.generation", None)
    meta["managedFields"] = sorted((json.dumps({name: one[name] for name in one if name != "time"}, sort_keys=True)
                                    for one in meta.get("managedFields", []) if not is_foreign(one)))
    kept.pop("status", None)
    return kept


def differences(before, after, path=""):
    """Leaves that differ: "path: before -> after"."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [line for name in sorted({*before, *after}) for line in differences(
            before.get(name), after.get(name), f"{path}.{name}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [line for index, pair in enumerate(zip(before, after)) for line in differences(
            *pair, f"{path}[{index}]")]
    return [] if before == after else [f"{path}: {before!r} -> {after!r}"]


def all_differences(before, after):
    return {path: differences(settled(before[path][1]), settled(after[path][1])) for path in before
            if settled(before[path][1]) != settled(after[path][1])}


def is_bare(thing):
    """Has nothing that could be owned."""
    return set(thing) <= {"apiVersion", "kind", "metadata"} and set(thing["metadata"]) <= {"name", "namespace"}


def check_ownership(fleet, all_of_them, seen):
    """Returns how many objects have no entry because they are bare."""
    bare = {fleet.path(addon, thing) for addon in all_of_them for thing in fleet.objects[addon.name] if is_bare(thing)}
    lacking = {path for path, (addon, live) in seen.items() if fleet.entry(addon, live) is None}
    check_equal("bare objects with an entry", sorted(bare - lacking), [])
    check_equal("objects that were merged", sorted(lacking - bare), MERGED)
    return len(bare)


def check_change(fleet, all_of_them, before):
    """One value of each add-on is another one; the rest is as it was."""
    for addon in all_of_them:
        fleet.put(addon, addon.changed())
    fleet.await_applied()
    after = fleet.look(all_of_them)
    check_equal("objects", sorted(after), sorted(before))
    found = all_differences(before, after)
    for addon in all_of_them:
        lines = [line for path, one in found.items() if before[path][0] is addon for line in one]
        new = addon.change[1].split(": ")[-1].strip('"')
        check(f"one value of {addon.name} differs: {lines}", len(lines) == 1)
        check(f"{lines[0]} is the change of {addon.name}", new in lines[0].split(" -> ")[1])
    return after


def foreign_writes(live, authority):
    """What a second writer does to an object: something of its own, and something to a field of ours."""
    kind, label = live["kind"], {"metadata": {"labels": {"second": "yes"}}}
    if kind in WORKLOADS:
        name = live["spec"]["template"]["spec"]["containers"][0]["name"]
        return label, {"spec": {"template": {"spec": {"containers": [{"name": name, "image": "other:1"}]}}}}
    if kind == "ConfigMap" and live.get("data"):
        return {"data": {"second": "yes"}}, {"data": {min(live["data"]): "other"}}
    if kind in ("ClusterRole", "Role") and "aggregationRule" not in live:
        return label, {"rules": [*live["rules"], {"apiGroups": ["other"], "resources": ["*"], "verbs": ["get"]}]}
    if kind == "Service" and live["spec"].get("selector"):
        return label, {"spec": {"selector": {"other": "1"}}}
    if kind == "ValidatingWebhookConfiguration":
        name = live["webhooks"][0]["name"]
        return ({"webhooks": [{"name": name, "clientConfig": {"caBundle": authority}}]},
                {"webhooks": [{"name": name, "failurePolicy": "Ignore"}]})
    return None


def write_as_another(fleet, before):
    """Returns the digests of our entry by path: before, after the writer's own field, after a field of ours."""
    with open(fleet.workload.authority, "rb") as file:
        authority = base64.b64encode(file.read()).decode()
    told = {}
    for path, (addon, live) in before.items():
        patches = foreign_writes(live, authority)
        if patches:
            entries = [fleet.entry(addon, fleet.workload.ask(
                "PATCH", path, patch, content_type=STRATEGIC, query={"fieldManager": SECOND})) for patch in patches]
            told[path] = [digest(one) for one in (fleet.entry(addon, live), *entries)]
    return told


def check_second_writer(fleet, all_of_them, before):
    told = write_as_another(fleet, before)
    check_equal("kinds", sorted({before[path][1]["kind"] for path in told}), sorted({
        *WORKLOADS, "ConfigMap", "ClusterRole", "Role", "Service", "ValidatingWebhookConfiguration"}))
    check_equal("taken for drift", [path for path, (was, own, _) in told.items() if was != own], [])
    check_equal("drift that is not seen", [path for path, (was, _, ours) in told.items() if was == ours], [])
    fleet.apply_again()
    after = fleet.look(all_of_them)
    check_equal("entries that are not what they were", [path for path in told if fleet.entry(*after[path]) !=
                                                        fleet.entry(*before[path])], [])
    for path in told:
        lines = [line for line in differences(settled(before[path][1]), settled(after[path][1]))
                 if not line.startswith(".metadata.managedFields")]
        check_equal(f"values of {path} that differ", len(lines), 1)
        check(f"{lines[0]} is the second writer's own", "second" in lines[0] or "caBundle" in lines[0])
    check_equal("others that differ", sorted(set(all_differences(before, after)) - set(told)), [])
    return len(told)


def size_of_entries(fleet, seen):
    """The median and the largest of our entries, in bytes."""
    sizes = sorted(len(json.dumps(fleet.entry(*one), separators=(",", ":"))) for one in seen.values()
                   if fleet.entry(*one))
    return sizes[len(sizes) // 2], sizes[-1]


def play(fleet, controller):
    """All of it, on one fleet."""
    fixture = fleet.fixture
    all_of_them = addons.read_all(fixture.options.root, fleet.kubectl)
    for addon in all_of_them:
        fleet.put(addon, addon.text)
    fleet.await_applied()
    first = fleet.look(all_of_them)
    bare = check_ownership(fleet, all_of_them, first)
    fleet.apply_again()
    again = fleet.look(all_of_them)
    noted = [path for path, (_, live) in again.items() if any(
        one["manager"] == "before-first-apply" for one in live["metadata"].get("managedFields", []))]
    check_equal("written although nothing changed", [
        path for path, (_, live) in first.items() if live["kind"] not in WITH_CONTROLLERS and path not in noted and
        live["metadata"]["resourceVersion"] != again[path][1]["metadata"]["resourceVersion"]], [])
    check_equal("changed although nothing changed", all_differences(first, again), {})
    changed = check_change(fleet, all_of_them, again)
    written = check_second_writer(fleet, all_of_them, changed)
    fixture.tell(f"{len(all_of_them)} add-ons, {len(first)} objects, {len(MERGED)} of them merged, {bare} with nothing but a "
                 "name and so no entry; applied again: nothing written; one value of each changed: nothing else differs; "
                 f"{written} objects with a second writer: its own fields are never taken for drift and stay, ours are "
                 "seen and come back, with the same entry")
    fixture.tell(f"noted as before-first-apply when they are applied again: {len(noted)}, {sorted(noted)}")
    fixture.tell("entries: median {} bytes, largest {} bytes".format(*size_of_entries(fleet, first)))
    check("the controller goes on", controller.process.poll() is None)


def make_home(fixture):
    """An empty folder of the scenario's own."""
    home = os.path.join(fixture.options.folder, fixture.name)
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    return home


@scenario(serial=True, timeout=1500)
def ra_06_add_ons_on_kube_apiserver(fixture):
    home = make_home(fixture)
    plane = Plane(home, "workload", fixture.options.assets, controllers=False)
    try:
        plane.start()
        plane.wait_ready()
        fixture.cluster(labels=SELECTED, kubeconfig=plane.admin.kubeconfig(), controlPlaneEndpoint={
            "host": "127.0.0.1", "port": plane.admin.port})
        controller = fixture.start("--reconcile-with", "server-side-apply")
        play(Fleet(fixture, home, fixture.management, install.admin_kubeconfig(fixture.options), fixture.namespace, "c1",
                   plane.admin), controller)
    finally:
        plane.stop()


@scenario(serial=True, timeout=900)
def ra_06_add_ons_on_a_virtual_cluster(fixture):
    folder = make_home(fixture)
    config, kubectl = os.path.join(folder, "kubeconfig"), install.kubectl(fixture.options.root, fixture.options.assets)
    with open(os.path.join(folder, "apiserver.log"), "wb") as log:
        server = subprocess.Popen(
            [fixture.options.corset, "apiserver", "--in-memory", "--listen", "127.0.0.1:0", "--virtual-clusters", "1",
             "--write-cluster-kubeconfigs", os.path.join(folder, "clusters"), "--write-kubeconfig", config],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
    try:
        until("the virtual cluster is there", lambda: os.path.exists(os.path.join(folder, "clusters", "vc-0001.kubeconfig")))
        management = server_of(kubectl, config, folder)
        workload = server_of(kubectl, os.path.join(folder, "clusters", "vc-0001.kubeconfig"), folder)
        management.patch("Cluster", "default", "vc-0001", {"metadata": {"labels": SELECTED}})
        with open(config, encoding="utf-8") as file:
            controller = Controller(fixture.options.corset, folder, "controller", file.read(),
                                    "--reconcile-with", "server-side-apply")
        controller.wait_ready()
        play(Fleet(fixture, folder, management, config, "default", "vc-0001", workload), controller)
        check_equal("the exit code of the controller", controller.stop(), 0)
    finally:
        server.terminate()
        server.wait(30)
