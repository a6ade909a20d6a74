"""FW-100 to FW-105: failures stay where they are, and nothing is done twice."""
import time

from lib.audit import summary
from lib.kube import until
from lib.proxy import Proxy
from lib.scene import check, check_equal
from lib.scenario import scenario
from scenarios.applying import BROKEN, NOT_APPLIED


@scenario()
def fw_100_one_of_two_clusters_is_unreachable(scene):
    proxy = Proxy(scene.green.port)
    proxy.set_mode(Proxy.REFUSE)
    scene.cluster("c1")
    scene.cluster("c2", scene.green, url=proxy.url)
    scene.map(data=scene.manifest() + "---\n" + scene.manifest("b"))
    scene.start()
    scene.set()
    until("c1 is applied", lambda: scene.entry("c1") == "ConfigMap/cm1 true hash")
    scene.await_condition("False/InternalError/Please check controller logs for errors")
    check_equal("objects", [scene.value("a"), scene.value("b")], ["1", "1"])


@scenario()
def fw_101_a_missing_resource_beside_a_present_one(scene):
    scene.cluster()
    scene.map(data=scene.manifest())
    scene.start()
    scene.set(resources=("ConfigMap/absent", "ConfigMap/cm1"))
    until("the present one", lambda: scene.entry() == "ConfigMap/cm1 true hash")
    time.sleep(1)
    check_equal("errors", scene.controller.metric("controller_runtime_reconcile_errors_total",
                                                  controller="clusterresourceset") or 0, 0)


@scenario()
def fw_102_the_second_of_three_objects_is_rejected(scene):
    """FW-103, too: only what failed is sent again."""
    scene.cluster()
    scene.map("cm1", scene.manifest("a") + "---\n" + BROKEN + scene.namespace + "\n---\n" + scene.manifest("c"))
    scene.map("cm2", scene.manifest("fine"))
    scene.start()
    scene.set(resources=("ConfigMap/cm1", "ConfigMap/cm2"))
    scene.await_condition(NOT_APPLIED)
    until("the entry", lambda: scene.entry() == "ConfigMap/cm1 false hash, ConfigMap/cm2 true hash")
    check_equal("objects", [scene.value("a"), scene.value("c"), scene.value("fine")], ["1", "1", "1"])

    def sent(name):
        return len([one for one in scene.blue.writes() if one["requestObject"]["metadata"]["name"] == name])
    before = sent("Not_A_Name")
    until("the rejected one is sent again", lambda: sent("Not_A_Name") > before + 1)
    check_equal("what was fine is not sent again", sent("fine"), 1)


@scenario()
def fw_104_objects_carry_nothing_of_ours(scene):
    scene.ready("Reconcile")
    meta = scene.live("a")["metadata"]
    check_equal("additions", [key for key in ("annotations", "labels", "ownerReferences", "finalizers") if key in meta], [])
    check_equal("the field manager", [one["manager"] for one in meta["managedFields"]], ["corset"])


@scenario()
def fw_105_nothing_changed_nothing_sent(scene):
    scene.ready("Reconcile")
    scene.mark_all()
    time.sleep(12)
    mine = [entry for entry in scene.audit.entries(namespace=scene.namespace) if entry["verb"] != "watch"]
    check_equal("requests to the management cluster", summary(mine), [])
    check_equal("requests to the workload cluster", summary(scene.blue.requests()), [])
    check("the cluster was probed", len(scene.blue.audit.entries(user=scene.blue.user)) >= 1)
