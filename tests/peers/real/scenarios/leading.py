"""Two controllers on one Lease: who leads, who follows, and what happens when the leader is gone."""
import signal
import time

from lib.kube import until
from lib.fixture import SYSTEM, check_equal, credential_of
from lib.scenario import scenario

LEASE = "corset.corset.dev"
LOST = 3  # the exit code of one that led and does not any more: to be started again
FLAGS = ("--leader-elect", "--leader-elect-lease-namespace", SYSTEM, "--leader-elect-lease-duration", "6s",
         "--leader-elect-renew-deadline", "4s", "--leader-elect-retry-period", "1s")


def holder(fixture):
    lease = fixture.management.get("Lease", SYSTEM, LEASE)
    return lease["spec"].get("holderIdentity") if lease else None


def writes_of(fixture, controller):
    return [one for one in fixture.audit.writes() if credential_of(one) == controller.credential
            and one["objectRef"]["resource"] != "leases"]


def two(fixture):
    """A leader with its work done, and one who waits."""
    fixture.management.delete("Lease", SYSTEM, LEASE)
    first = fixture.start(*FLAGS, name="first", everywhere=True)
    leading = until("somebody leads", lambda: holder(fixture))
    second = fixture.start(*FLAGS, name="second", everywhere=True, wait=False)
    fixture.ready("Reconcile")
    check_equal("the holder", holder(fixture), leading)
    return first, second, leading


def change_arrives(fixture, value, timeout=30):
    fixture.change_map("cm1", fixture.manifest("a", value))
    until(f"a is {value}", lambda: fixture.value() == value, timeout)


@scenario(serial=True)
def cc_53_who_does_not_lead_connects_to_nobody(fixture):
    _, second, _ = two(fixture)
    time.sleep(2)
    check_equal("connections", second.metric("capi_cluster_cache_connection_up"), None)
    check_equal("writes", writes_of(fixture, second), [])


@scenario(serial=True)
def leader_that_ends_hands_over_at_once(fixture):
    first, second, leading = two(fixture)
    begun = time.monotonic()
    check_equal("the exit code", first.stop(), 0)
    until("another one leads", lambda: holder(fixture) not in (leading, "", None))
    fixture.tell(f"handed over after {time.monotonic() - begun:.1f} s")
    change_arrives(fixture, "2")
    # It notes in the binding what has arrived after that.
    until("the second one has written", lambda: writes_of(fixture, second))


@scenario(serial=True)
def leader_that_is_killed_is_replaced(fixture):
    first, second, leading = two(fixture)
    first.stop(signal.SIGKILL)
    begun = time.monotonic()
    until("another one leads", lambda: holder(fixture) not in (leading, "", None))
    fixture.tell(f"taken over after {time.monotonic() - begun:.1f} s, with a lease of 6 s")
    change_arrives(fixture, "2")


@scenario(serial=True)
def leader_that_was_stopped_writes_nothing_afterwards(fixture):
    first, second, leading = two(fixture)
    first.process.send_signal(signal.SIGSTOP)
    until("another one leads", lambda: holder(fixture) not in (leading, "", None))
    change_arrives(fixture, "2")
    fixture.audit.mark()
    fixture.blue.audit.mark()
    first.process.send_signal(signal.SIGCONT)
    change_arrives(fixture, "3")
    time.sleep(3)
    check_equal("writes of the old leader", writes_of(fixture, first), [])
    check_equal("writes to a", len(fixture.blue.writes()), 1)
    check_equal("how the old leader ended", first.process.wait(30), LOST)
    fixture.controllers.remove(first)
