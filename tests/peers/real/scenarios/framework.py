"""FW-100 to FW-105: failures stay where they are, and nothing is done twice."""
import time

from lib.audit import summary
from lib.kube import until
from lib.proxy import Proxy
from lib.fixture import check, check_equal
from lib.scenario import scenario
from scenarios.applying import BROKEN, NOT_APPLIED


@scenario()
def fw_100_one_of_two_clusters_is_unreachable(fixture):
    proxy = Proxy(fixture.green.port)
    proxy.set_mode(Proxy.REFUSE)
    fixture.cluster("c1")
    fixture.cluster("c2", fixture.green, url=proxy.url)
    fixture.map(data=fixture.manifest() + "---\n" + fixture.manifest("b"))
    fixture.start()
    fixture.set()
    until("c1 is applied", lambda: fixture.entry("c1") == "ConfigMap/cm1 true hash")
    fixture.await_condition("False/InternalError/Please check controller logs for errors")
    check_equal("objects", [fixture.value("a"), fixture.value("b")], ["1", "1"])


@scenario()
def fw_101_a_missing_resource_beside_a_present_one(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set(resources=("ConfigMap/absent", "ConfigMap/cm1"))
    until("the present one", lambda: fixture.entry() == "ConfigMap/cm1 true hash")
    time.sleep(1)
    check_equal("errors", fixture.controller.metric("controller_runtime_reconcile_errors_total",
                                                  controller="clusterresourceset") or 0, 0)


@scenario()
def fw_102_the_second_of_three_objects_is_rejected(fixture):
    """FW-103, too: only what failed is sent again."""
    fixture.cluster()
    fixture.map("cm1", fixture.manifest("a") + "---\n" + BROKEN + fixture.namespace + "\n---\n" + fixture.manifest("c"))
    fixture.map("cm2", fixture.manifest("fine"))
    fixture.start()
    fixture.set(resources=("ConfigMap/cm1", "ConfigMap/cm2"))
    fixture.await_condition(NOT_APPLIED)
    until("the entry", lambda: fixture.entry() == "ConfigMap/cm1 false hash, ConfigMap/cm2 true hash")
    check_equal("objects", [fixture.value("a"), fixture.value("c"), fixture.value("fine")], ["1", "1", "1"])

    def sent(name):
        return len([one for one in fixture.blue.writes() if one["requestObject"]["metadata"]["name"] == name])
    before = sent("Not_A_Name")
    until("the rejected one is sent again", lambda: sent("Not_A_Name") > before + 1)
    check_equal("what was fine is not sent again", sent("fine"), 1)


@scenario()
def fw_104_objects_carry_nothing_of_ours(fixture):
    fixture.ready("Reconcile")
    meta = fixture.live("a")["metadata"]
    check_equal("additions", [key for key in ("annotations", "labels", "ownerReferences", "finalizers") if key in meta], [])
    check_equal("the field manager", [one["manager"] for one in meta["managedFields"]], [f"corset:{fixture.namespace}/crs1"])


@scenario()
def fw_105_nothing_changed_nothing_sent(fixture):
    fixture.ready("Reconcile")
    fixture.mark_all()
    time.sleep(12)
    mine = [entry for entry in fixture.audit.entries(namespace=fixture.namespace) if entry["verb"] != "watch"]
    check_equal("requests to the management cluster", summary(mine), [])
    check_equal("requests to the workload cluster", summary(fixture.blue.requests()), [])
    check("the cluster was probed", len(fixture.blue.audit.entries(user=fixture.blue.user)) >= 1)
