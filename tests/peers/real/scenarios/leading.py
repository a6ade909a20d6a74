"""Two controllers on one Lease: who leads, who follows, and what happens when the leader is gone."""
import signal
import time

from lib.kube import until
from lib.scene import SYSTEM, check, check_equal, credential_of
from lib.scenario import scenario

LEASE = "corset.corset.dev"
LOST = 3  # the exit code of one that led and does not any more: to be started again
FLAGS = ("--leader-elect", "--leader-elect-lease-namespace", SYSTEM, "--leader-elect-lease-duration", "6s",
         "--leader-elect-renew-deadline", "4s", "--leader-elect-retry-period", "1s")


def holder(scene):
    lease = scene.management.get("Lease", SYSTEM, LEASE)
    return lease["spec"].get("holderIdentity") if lease else None


def writes_of(scene, controller):
    return [one for one in scene.audit.writes() if credential_of(one) == controller.credential
            and one["objectRef"]["resource"] != "leases"]


def two(scene):
    """A leader with its work done, and one who waits."""
    scene.management.delete("Lease", SYSTEM, LEASE)
    first = scene.start(*FLAGS, name="first", everywhere=True)
    leading = until("somebody leads", lambda: holder(scene))
    second = scene.start(*FLAGS, name="second", everywhere=True, wait=False)
    scene.ready("Reconcile")
    check_equal("the holder", holder(scene), leading)
    return first, second, leading


def change_arrives(scene, value, timeout=30):
    scene.change_map("cm1", scene.manifest("a", value))
    until(f"a is {value}", lambda: scene.value() == value, timeout)


@scenario(serial=True)
def cc_53_who_does_not_lead_connects_to_nobody(scene):
    _, second, _ = two(scene)
    time.sleep(2)
    check_equal("connections", second.metric("capi_cluster_cache_connection_up"), None)
    check_equal("writes", writes_of(scene, second), [])


@scenario(serial=True)
def leader_that_ends_hands_over_at_once(scene):
    first, second, leading = two(scene)
    begun = time.monotonic()
    check_equal("the exit code", first.stop(), 0)
    until("another one leads", lambda: holder(scene) not in (leading, "", None))
    scene.tell(f"handed over after {time.monotonic() - begun:.1f} s")
    change_arrives(scene, "2")
    check("the second one wrote", writes_of(scene, second))


@scenario(serial=True)
def leader_that_is_killed_is_replaced(scene):
    first, second, leading = two(scene)
    first.stop(signal.SIGKILL)
    begun = time.monotonic()
    until("another one leads", lambda: holder(scene) not in (leading, "", None))
    scene.tell(f"taken over after {time.monotonic() - begun:.1f} s, with a lease of 6 s")
    change_arrives(scene, "2")


@scenario(serial=True)
def leader_that_was_stopped_writes_nothing_afterwards(scene):
    first, second, leading = two(scene)
    first.process.send_signal(signal.SIGSTOP)
    until("another one leads", lambda: holder(scene) not in (leading, "", None))
    change_arrives(scene, "2")
    scene.audit.mark()
    scene.blue.audit.mark()
    first.process.send_signal(signal.SIGCONT)
    change_arrives(scene, "3")
    time.sleep(3)
    check_equal("writes of the old leader", writes_of(scene, first), [])
    check_equal("writes to a", len(scene.blue.writes()), 1)
    check_equal("how the old leader ended", first.process.wait(30), LOST)
    scene.controllers.remove(first)
