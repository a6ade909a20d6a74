"""Coexistence: another controller, a scripted stand-in for Cluster API's manager, works on the same objects."""
import threading
import time

from lib.audit import summary
from lib.kube import MERGE, ApiError, Server, path_of, until
from lib.fixture import GROUP, check, check_equal, credential_of
from lib.scenario import scenario

MANAGER = {"fieldManager": "manager"}


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class StandIn(threading.Thread):
    """Does to sets and bindings what the other manager does on each pass, over and over: its conditions
    into the status (its own types replaced, others kept), a patch with the resourceVersion alone to every
    binding, and an entry of a set of its own."""

    def __init__(self, fixture, pause=0.2):
        super().__init__(daemon=True)
        self.server = Server(fixture.management.url, fixture.management.authority, fixture.management.certificate,
                             fixture.management.key)
        self.namespace, self.pause = fixture.namespace, pause
        self.passes = self.conflicts = 0
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(self.pause):
            for one in self.server.list("ClusterResourceSet", self.namespace):
                self._try(self._set_status, one)
            for one in self.server.list("ClusterResourceSetBinding", self.namespace):
                self._try(self._touch_binding, one)
            self.passes += 1

    def stop(self):
        self.over.set()
        self.join()

    def _try(self, do, thing):
        try:
            do(thing)
        except ApiError as error:
            if error.status not in (404, 409):
                raise
            self.conflicts += error.status == 409

    def _patch(self, kind, thing, body, subresource=None):
        meta = thing["metadata"]
        self.server.patch(kind, self.namespace, meta["name"], {
            "metadata": {"resourceVersion": meta["resourceVersion"], **body.pop("metadata", {})}, **body},
            subresource, content_type=MERGE, query=MANAGER)

    def _set_status(self, one):
        status = one.get("status", {})
        kept = [each for each in status.get("conditions", []) if each["type"] not in ("Foreign",)]
        self._patch("ClusterResourceSet", one, {"status": {"conditions": [*kept, {
            "type": "Foreign", "status": "True", "reason": "Here", "message": f"pass {self.passes}",
            "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}, "status")

    def _touch_binding(self, one):
        entries = one["spec"].get("bindings", [])
        mine = {"clusterResourceSetName": "theirs", "resources": [{
            "kind": "ConfigMap", "name": "other", "applied": True, "hash": f"sha256:{self.passes}",
            "lastAppliedTime": now()}]}
        kept = [each for each in entries if each["clusterResourceSetName"] != "theirs"]
        self._patch("ClusterResourceSetBinding", one, {"spec": {"bindings": [mine, *kept]}})


@scenario()
def coexistence_nothing_of_either_side_is_lost(fixture):
    fixture.cluster("c2", fixture.green)
    fixture.ready("Reconcile")
    other = StandIn(fixture)
    other.start()
    for value in ("2", "3", "4", "5"):
        fixture.change_map("cm1", fixture.manifest("a", value))
        until(f"a is {value} everywhere", lambda value=value: fixture.value() == value and
              fixture.value("a", fixture.green) == value)
        time.sleep(0.5)
    fixture.map("cm2", fixture.manifest("c"))
    fixture.set("crs2", resources=("ConfigMap/cm2",))
    fixture.await_applied("crs2")
    other.stop()
    fixture.await_settled()
    for cluster in ("c1", "c2"):
        names = {one["clusterResourceSetName"] for one in fixture.get_binding(cluster)["spec"]["bindings"]}
        check_equal(f"entries of {cluster}", sorted(names), ["crs1", "crs2", "theirs"])
        check_equal("ours", fixture.entry(cluster), "ConfigMap/cm1 true hash, Secret/s1 true hash")
        check_equal("theirs", fixture.entry(cluster, "theirs"), "ConfigMap/other true hash")
    check("the foreign condition stays", fixture.condition("Foreign").startswith("True/Here/pass "))
    check_equal("errors", fixture.controller.metric("controller_runtime_reconcile_errors_total",
                                                  controller="clusterresourceset") or 0, 0)
    fixture.tell(f"{other.passes} passes of the other one, {other.conflicts} conflicts on its side")


@scenario()
def coexistence_no_quarrel(fixture):
    """While the other one writes its own things at a high pace, ours writes nothing."""
    fixture.ready("Reconcile")
    other = StandIn(fixture, pause=0.05)
    other.start()
    time.sleep(2)
    fixture.mark_all()
    time.sleep(5)
    other.stop()
    ours = [one for one in fixture.audit.writes(namespace=fixture.namespace)
            if credential_of(one) == fixture.controller.credential]
    check_equal("our writes meanwhile", summary(ours), [])
    check_equal("requests to the workload cluster", summary(fixture.blue.requests()), [])
    fixture.tell(f"{other.passes} passes of the other one")


@scenario()
def coexistence_a_binding_that_was_deleted_comes_back(fixture):
    """Noticed at the next occasion; nothing is sent that is known to be applied elsewhere."""
    fixture.ready("ApplyOnce")
    fixture.management.delete("ClusterResourceSetBinding", fixture.namespace, "c1")
    fixture.kick()
    until("the binding is back", lambda: fixture.entry() == "ConfigMap/cm1 true hash, Secret/s1 true hash")
    check_equal("the object", fixture.value(), "1")


@scenario()
def coexistence_server_side_apply_of_a_set(fixture):
    """A set that GitOps applies over and over stays as it is, with our finalizer and status."""
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    thing = {"apiVersion": GROUP, "kind": "ClusterResourceSet", "metadata": {
        "name": "crs1", "namespace": fixture.namespace}, "spec": {
            "clusterSelector": {"matchLabels": {"cni": "calico"}}, "strategy": "Reconcile",
            "resources": [{"kind": "ConfigMap", "name": "cm1"}]}}

    def apply():
        return fixture.management.ask("PATCH", path_of("ClusterResourceSet", fixture.namespace, "crs1"), thing,
                                    content_type="application/apply-patch+yaml",
                                    query={"fieldManager": "gitops", "force": "true"})
    apply()
    fixture.await_settled()
    version = fixture.get_set()["metadata"]["resourceVersion"]
    for _ in range(5):
        apply()
    check_equal("resourceVersion", fixture.get_set()["metadata"]["resourceVersion"], version)
    check_equal("finalizers", fixture.get_set()["metadata"]["finalizers"], ["addons.cluster.x-k8s.io"])
