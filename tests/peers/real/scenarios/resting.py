"""Must show 3: 50 sets and 200 clusters come to rest, and then leave the management server alone.

A set selects one cluster of PARTS, so there are 2,000 pairs; with CORSET_REAL_PARTS=1 every set is on every
cluster: 10,000 pairs, which take some minutes.
"""
import collections
import concurrent.futures
import os
import time

from lib.controller import metric_sum, parse_metrics
from lib.kube import until
from lib.fixture import SYSTEM, check, credential_of
from lib.scenario import scenario

SETS, CLUSTERS = 50, 200
PARTS = int(os.environ.get("CORSET_REAL_PARTS", "5"))
WATCHED = 60  # seconds
WORKERS = 8
HASTE = ("--kube-api-qps", "1000", "--kube-api-burst", "2000")  # until it rests; there it makes no difference


def request_total(fixture):
    """Of the server as a whole, by its own metrics, without the requests for the metrics."""
    status, text = fixture.management.request("GET", "/metrics", raw=True)
    check("the server shows its metrics", status == 200)
    return metric_sum(parse_metrics(text), "apiserver_request_total")


def make(fixture):
    def cluster(number):
        fixture.cluster(f"c{number}", fixture.blue if number % 2 else fixture.green, {"part": f"p{number % PARTS}"})

    def one_set(number):
        fixture.map(f"cm{number}", fixture.manifest(f"m{number}"))
        fixture.set(f"set{number}", resources=(f"ConfigMap/cm{number}",), strategy="Reconcile",
                  selector={"matchLabels": {"part": f"p{number % PARTS}"}})
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(cluster, range(CLUSTERS)))
        list(pool.map(one_set, range(SETS)))


def all_applied(fixture):
    done = 0
    for one in fixture.management.list("ClusterResourceSet", fixture.namespace):
        conditions = {each["type"]: each["status"] for each in one.get("status", {}).get("conditions", [])}
        done += conditions.get("ResourcesApplied") == "True" and one["status"].get("observedGeneration") == 1
    return done == SETS


def events_are_told(fixture):
    """Events wait for their turn, ten a second; whether all that wait are out."""
    before = fixture.controller.metric("corset_events_sent_total")
    time.sleep(4)
    return fixture.controller.metric("corset_events_sent_total") == before


@scenario(serial=True, timeout=900)
def must_show_fifty_sets_and_two_hundred_clusters_come_to_rest(fixture):
    begun = time.monotonic()
    fixture.start("--leader-elect", "--leader-elect-lease-namespace", SYSTEM, *HASTE, everywhere=True)
    make(fixture)
    made = time.monotonic()
    until("everything is applied", lambda: all_applied(fixture), 3000 / PARTS, 2)
    fixture.tell(f"{SETS} sets, {CLUSTERS} clusters, {SETS * CLUSTERS // PARTS} pairs: objects made in {made - begun:.0f} s, "
               f"all applied {time.monotonic() - made:.0f} s later")
    bindings = fixture.management.list("ClusterResourceSetBinding", fixture.namespace)
    entries = sum(len(one["spec"]["bindings"]) for one in bindings)
    check("every binding has its sets", len(bindings) == CLUSTERS and entries == CLUSTERS * SETS // PARTS)
    mine = [one for one in fixture.audit.entries() if credential_of(one) == fixture.controller.credential]
    writes = [one for one in mine if one["verb"] in ("create", "update", "patch", "delete")]
    conflicts = [one for one in writes if one["responseStatus"]["code"] == 409]
    fixture.tell(f"requests to the management server until then: {len(mine)}, of these {len(writes)} writes, "
               f"{len(conflicts)} conflicts")
    check("no storm of conflicts", len(conflicts) <= len(writes) / 20)

    until("events are out", lambda: events_are_told(fixture), 200)
    fixture.tell(f"the last event is out {time.monotonic() - made:.0f} s after the objects were made")
    fixture.audit.mark()
    before = request_total(fixture)
    time.sleep(WATCHED)
    after = request_total(fixture)
    rest = [one for one in fixture.audit.entries() if credential_of(one) == fixture.controller.credential]
    kinds = collections.Counter(f"{one['verb']} {one.get('objectRef', {}).get('resource', '')}" for one in rest)
    rate = len(rest) / WATCHED
    fixture.tell(f"steady state, {WATCHED} s: {rate:.2f} requests per second of the controller {dict(kinds)}; "
               f"{(after - before) / WATCHED:.2f} of everybody (apiserver_request_total)")
    check("below one request per second", rate < 1)
    memory = fixture.controller.metric("process_resident_memory_bytes")
    if memory:
        fixture.tell(f"the controller's memory: {memory / 1048576:.0f} MiB")
