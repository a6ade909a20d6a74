"""CRS-15: a Cluster that is deleted and made again under its name, after any time or none."""
import time

from lib.kube import until
from lib.fixture import check_equal
from lib.scenario import scenario

GAPS = (0, 1, 5, 20, 50, 500)  # milliseconds


def replace_cluster(fixture, workload, gap):
    """c1 goes and comes back, with a workload cluster that has nothing."""
    for one in (fixture.blue, fixture.green):
        one.admin.delete("ConfigMap", fixture.namespace, "a")
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    if gap:
        time.sleep(gap / 1000)
    fixture.cluster(workload=workload)


def recorded(fixture, old_uid):
    binding = fixture.get_binding()
    return binding and binding["metadata"]["uid"] != old_uid and fixture.entry() == "ConfigMap/cm1 true hash"


def writes_of(workload):
    return [f"{one['verb']} {one['requestURI'].partition('?')[0]}" for one in workload.writes()]


@scenario(timeout=480)
def crs_15_a_cluster_replaced_after_any_gap_gets_everything(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.set()
    fixture.await_settled()
    now, other, slowest = fixture.blue, fixture.green, 0
    for number, gap in enumerate(GAPS * 3):
        if number // len(GAPS):  # in the first rounds the same cluster comes back, as after kubectl replace --force
            now, other = other, now
        old_uid = fixture.get_binding()["metadata"]["uid"]
        now.audit.mark()
        other.audit.mark()
        begun = time.monotonic()
        replace_cluster(fixture, now, gap)
        what = f"round {number}, {gap} ms, {now.described['name']}"
        until(f"{what}: the object is there", lambda: fixture.value(workload=now) == "1", pause=0.02)
        until(f"{what}: the binding is a new one, and says so", lambda: recorded(fixture, old_uid), pause=0.02)
        slowest = max(slowest, time.monotonic() - begun - gap / 1000)
        fixture.await_applied()
        check_equal(f"{what}: what went to the old cluster", writes_of(other), [])
        check_equal(f"{what}: what went to the new cluster", writes_of(now),
                    [f"create /api/v1/namespaces/{fixture.namespace}/configmaps"])
    fixture.tell(f"{3 * len(GAPS)} replacements, {slowest:.1f} s at most until the new cluster was served")
