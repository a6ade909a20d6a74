"""Beside the real manager of Cluster API, as docs/howto-migrate.md says: its commands are run as they stand there."""
import os
import time

from lib.audit import Audit
from lib.cluster_api import ClusterApi, commands_of, find_manager, type_in
from lib.controller import Controller
from lib.fixture import GROUP, check, check_equal, check_in, encoded, refused
from lib.kube import until
from lib.scenario import scenario

FILTER = "cluster.x-k8s.io/watch-filter"
PAGE = "docs/howto-migrate.md"


class Side:
    """A namespace with a Cluster and a set that is reconciled, as they are before anybody moves."""

    def __init__(self, fixture, cluster_api, namespace, workload):
        self.admin, self.namespace, self.workload = cluster_api.admin, namespace, workload
        self.target = fixture.namespace  # of the objects in the workload cluster
        self.value = 0
        self.fixture = fixture
        self.admin.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": namespace}})
        self.admin.create({"kind": "Secret", "apiVersion": "v1", "type": "cluster.x-k8s.io/secret",
                           "metadata": {"name": "c1-kubeconfig", "namespace": namespace,
                                        "labels": {"cluster.x-k8s.io/cluster-name": "c1"}},
                           "data": {"value": encoded(workload.server.kubeconfig())}})
        cluster_api.cluster(namespace, "c1", workload.port, {"cni": "yes"})
        self.add_set("one")

    def manifest(self, name):
        return self.fixture.manifest(f"{self.namespace}-{name}", str(self.value))

    def add_map(self, name, **labels):
        self.admin.create({"kind": "ConfigMap", "apiVersion": "v1", "data": {"it": self.manifest(name)},
                           "metadata": {"name": name, "namespace": self.namespace, "labels": labels}})

    def add_set(self, name, **labels):
        meta = {"name": name, "namespace": self.namespace, "labels": labels}
        self.add_map(name, **labels)
        self.admin.create({"kind": "ClusterResourceSet", "apiVersion": GROUP, "metadata": meta, "spec": {
            "strategy": "Reconcile", "clusterSelector": {"matchLabels": {"cni": "yes"}},
            "resources": [{"kind": "ConfigMap", "name": name}]}})

    def change(self, name="one"):
        self.value += 1
        self.admin.patch("ConfigMap", self.namespace, name, {"data": {"it": self.manifest(name)}})

    def extend(self, name):
        """The set gets a second resource, which alone wakes nobody; it has to arrive."""
        self.add_map(name)
        self.admin.patch("ClusterResourceSet", self.namespace, "one", {"spec": {"resources": [
            {"kind": "ConfigMap", "name": one} for one in ("one", name)]}})
        until(f"{self.namespace}/{name} is there", lambda: self.fixture.value(
            f"{self.namespace}-{name}", self.workload) == str(self.value))

    def await_applied(self, name="one"):
        """The newest content is there, and its set says so."""
        until(f"{self.namespace}/{name} is {self.value}", lambda: self.fixture.value(
            f"{self.namespace}-{name}", self.workload) == str(self.value))
        until(f"{self.namespace}/{name} says so", lambda: any(
            one["type"] == "ResourcesApplied" and one["status"] == "True" for one in self.admin.get(
                "ClusterResourceSet", self.namespace, name).get("status", {}).get("conditions", [])))

    def writers(self):
        """Which programs wrote to its workload cluster since the mark."""
        return sorted({one["userAgent"].partition("/")[0] for one in self.workload.audit.writes(
            agent="", user=self.workload.user)})


def check_written(side, what, writers):
    side.workload.audit.mark()
    side.change()
    side.await_applied()
    check_equal(f"{what}: who wrote to the cluster of {side.namespace}", side.writers(), writers)


@scenario(serial=True, timeout=600)
def migrate_side_by_side_as_the_page_says(fixture):
    home = find_manager(fixture.options.root)
    blocks = commands_of(os.path.join(fixture.options.root, PAGE), "Side by side, since v1.12")
    check_equal("blocks to run", len(blocks), 4)
    begun = time.monotonic()
    cluster_api = ClusterApi(fixture.options, home, os.path.join(fixture.options.folder, "cluster-api"))
    try:
        cluster_api.start()
        fixture.tell(f"Cluster API is ready after {time.monotonic() - begun:.1f} s")
        check_in("a Cluster made by other means", "infrastructureRef or spec.topology must be set", refused(
            cluster_api.admin.create, {"kind": "Cluster", "apiVersion": "cluster.x-k8s.io/v1beta2",
                                       "metadata": {"name": "loose", "namespace": "default"},
                                       "spec": {"controlPlaneEndpoint": {"host": "127.0.0.1", "port": 1}}}))
        audit = Audit(cluster_api.plane.folder)
        theirs = Side(fixture, cluster_api, "machines", fixture.blue)
        ours = Side(fixture, cluster_api, "fleet", fixture.green)
        for side in (theirs, ours):
            side.await_applied()
            check_written(side, "before", ["manager"])
        type_in(cluster_api, blocks[0])
        type_in(cluster_api, blocks[1])
        for side in (theirs, ours):  # nobody has moved yet
            check_written(side, "with the flag", ["manager"])
            side.extend("more")
        type_in(cluster_api, blocks[2])
        audit.mark()
        fixture.green.audit.mark()
        type_in(cluster_api, blocks[3])
        until("corset has taken over", lambda: any(one["type"] == "Failed" for one in ours.admin.get(
            "ClusterResourceSet", "fleet", "one")["status"]["conditions"]))
        check_equal("taking over writes nothing to the cluster", ours.writers(), [])
        check_written(ours, "beside", ["corset"])
        check_written(theirs, "beside", ["manager"])
        ours.add_set("two", **{FILTER: "corset"})
        theirs.add_set("two", **{FILTER: "capi"})
        ours.await_applied("two")
        theirs.await_applied("two")
        check_equal("corset's writes to the other side", [one["requestURI"] for one in audit.writes(
            namespace="machines")], [])
        check_equal("who wrote to the cluster of fleet", ours.writers(), ["corset"])
        check_equal("who wrote to the cluster of machines", theirs.writers(), ["manager"])
    finally:
        cluster_api.stop()


def counts_of(audit, agent):
    """What a program wrote in the namespace since the mark: to statuses of sets, to bindings, events."""
    writes = audit.writes(agent=agent, namespace="quarrel")
    count = {"status": 0, "binding": 0, "event": 0}
    for one in writes:
        about = one["objectRef"]
        if about["resource"] == "events":
            count["event"] += 1
        elif about["resource"] == "clusterresourcesetbindings":
            count["binding"] += 1
        elif about.get("subresource") == "status" and about["resource"] == "clusterresourcesets":
            count["status"] += 1
    return count


def watch_writes(fixture, audit, seconds):
    audit.mark()
    time.sleep(seconds)
    found = {agent: counts_of(audit, agent) for agent in ("corset", "manager")}
    for agent, count in found.items():
        fixture.tell(f"{agent} in {seconds} s: " + ", ".join(f"{what} {number}" for what, number in count.items()))
    return found


@scenario(serial=True, timeout=600)
def coexistence_a_failing_set_beside_cluster_api(fixture):
    """Both work on one set that fails on ten clusters. Neither may keep the other writing."""
    home = find_manager(fixture.options.root)
    cluster_api = ClusterApi(fixture.options, home, os.path.join(fixture.options.folder, "cluster-api"))
    controller = None
    try:
        cluster_api.start()
        admin = cluster_api.admin
        audit = Audit(cluster_api.plane.folder)
        admin.put_in({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "quarrel"}})
        for number in range(10):
            name = f"c{number}"
            admin.create({"kind": "Secret", "apiVersion": "v1", "type": "cluster.x-k8s.io/secret",
                          "metadata": {"name": f"{name}-kubeconfig", "namespace": "quarrel",
                                       "labels": {"cluster.x-k8s.io/cluster-name": name}},
                          "data": {"value": encoded(fixture.blue.server.kubeconfig())}})
            cluster_api.cluster("quarrel", name, fixture.blue.port, {"cni": "yes"})
        admin.create({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "cm", "namespace": "quarrel"},
                      "data": {"it": fixture.manifest("x", "1", namespace="nowhere")}})
        admin.create({"kind": "ClusterResourceSet", "apiVersion": GROUP,
                      "metadata": {"name": "s", "namespace": "quarrel"}, "spec": {
                          "strategy": "Reconcile", "clusterSelector": {"matchLabels": {"cni": "yes"}},
                          "resources": [{"kind": "ConfigMap", "name": "cm"}]}})
        until("the manager has failed everywhere",
              lambda: len(admin.list("ClusterResourceSetBinding", "quarrel")) == 10, 120)
        time.sleep(10)
        watch_writes(fixture, audit, 10)
        controller = Controller(fixture.options.corset, os.path.join(fixture.options.folder, "cluster-api"),
                                "corset", admin.kubeconfig())
        controller.wait_ready()
        time.sleep(10)  # taking note of a set that fails is no quarrel
        both = watch_writes(fixture, audit, 30)
        check("corset leaves the status alone", both["corset"]["status"] <= 2)
        check("corset writes a binding at a retry alone", both["corset"]["binding"] <= 40)
        check("corset keeps the manager from nothing and busy with nothing", both["manager"]["status"] <= 2)
        told = [one for one in admin.list("Event", "quarrel") if "howto-migrate" in one.get("message", "")]
        check("a Warning names the page", told)
    finally:
        if controller:
            controller.stop()
        cluster_api.stop()
