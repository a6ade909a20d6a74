"""FL-44: FL-23 and FL-25 on real servers: a change goes to one wave after the other, and halts where it fails."""
import time

from lib.audit import summary
from lib.kube import until
from lib.fixture import SELECTED, check, check_equal
from lib.scenario import scenario
from scenarios.delivering import policies

SOAK = 5  # seconds


def begin(fixture):
    """c1, on blue, is the canary; c2, on green, comes a while after it; both have crs1."""
    fixture.cluster("c1", labels={**SELECTED, "ring": "canary"})
    fixture.cluster("c2", fixture.green, labels={**SELECTED, "ring": "early"})
    fixture.map(data=fixture.manifest())
    fixture.management.ask("POST", policies(fixture), {
        "apiVersion": "corset.dev/v1alpha1", "kind": "DeliveryPolicy", "metadata": {"name": "p"}, "spec": {"rollout": {
            "waves": [{"name": "canary", "clusterSelector": {"matchLabels": {"ring": "canary"}}, "soak": f"{SOAK}s"},
                      {"name": "early", "clusterSelector": {"matchLabels": {"ring": "early"}}}]}}})
    fixture.start()
    fixture.set(strategy="Reconcile", annotations={"corset.dev/policy": "p"})
    fixture.await_settled()
    fixture.await_condition("True/RolledOut", "RolledOut")
    fixture.mark_all()


def values(fixture):
    return fixture.value(), fixture.value(workload=fixture.green)


@scenario()
def fl_23_a_change_goes_to_one_wave_after_the_other(fixture):
    begin(fixture)
    fixture.change_map("cm1", fixture.manifest(value="2"))
    until("the canary has it", lambda: fixture.value() == "2", 30, 0.05)
    arrived = time.monotonic()
    fixture.await_condition("False/Soaking", "RolledOut", timeout=SOAK)
    check_equal("the others", values(fixture), ("2", "1"))
    until("the next wave has it", lambda: values(fixture) == ("2", "2"), 30, 0.05)
    took = time.monotonic() - arrived
    check(f"it waited for the soak: {took:.1f} s", took >= SOAK - 1)
    fixture.await_condition("True/RolledOut", "RolledOut")
    fixture.tell(f"the second wave began {took:.1f} s after the first, whose soak is {SOAK} s")


@scenario()
def fl_25_a_wave_that_fails_halts_the_rollout(fixture):
    begin(fixture)
    fixture.change_map("cm1", fixture.manifest(value="2", namespace="there-is-no-such-namespace"))
    fixture.await_condition("False/Halted", "RolledOut")
    check_equal("writes to the other cluster", summary(fixture.green.writes()), [])
    fixture.change_map("cm1", fixture.manifest())
    fixture.await_condition("True/RolledOut", "RolledOut")
    fixture.await_settled()
    check_equal("values", values(fixture), ("1", "1"))
    check_equal("writes to the other cluster", summary(fixture.green.writes()), [])
