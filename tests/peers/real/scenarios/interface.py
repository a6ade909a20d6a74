"""CC-*: the ClusterCache's own interface, through a driver; what reaches the servers is in their audit logs."""
import concurrent.futures
import datetime
import re
import time

from lib import supervisor
from lib.audit import summary
from lib.kube import until
from lib.proxy import Proxy, ShortWatches
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario

NODE, NODES = "Node.v1.", "nodes.v1."
NAMESPACE = "Namespace.v1."
DOWN = "connection to the workload cluster is down"
CALM = {"probe": "10m"}  # nothing but what the scenario does


def connected(fixture, **settings):
    """A driver that is connected to c1."""
    fixture.cluster()
    driver = fixture.drive(**settings)
    driver.await_connected()
    return driver


def behind_proxy(fixture, **settings):
    proxy = Proxy(fixture.blue.port)
    fixture.cluster(url=proxy.url)
    driver = fixture.drive(**settings)
    driver.await_connected()
    return driver, proxy


def of_nodes(fixture):
    return {"user": fixture.blue.user, "resource": "nodes"}


def moment(entry):
    return datetime.datetime.fromisoformat(entry["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()


def seen(fixture, driver, name):
    """What a watch told of this scenario's own objects: "+n1! ~n1 -n1"."""
    mark = fixture.namespace + "-"
    return [one.replace(mark, "") for one in driver.ask("seen", name).split() if mark in one]


def await_seen(fixture, driver, name, wanted):
    try:
        until(f"{name} has told", lambda: seen(fixture, driver, name) == wanted, 20)
    except AssertionError:
        check_equal(f"what {name} has told", seen(fixture, driver, name), wanted)


def check_down(driver, cluster="c1"):
    """No getter hands anything out, and each says so in its own words."""
    for command, words in (("client", "client"), ("reader", "client reader"), ("uncached", "uncached client"),
                           ("config", "REST config")):
        check_in(command, f"error getting {words}: {DOWN}", driver.refusal(command, cluster))
    check_in("watch", f"error creating watch w for Node: {DOWN}", driver.refusal("watch", cluster, NODE, "w"))


@scenario()
def cc_04_pod_metadata_from_the_environment(fixture):
    """With all three variables every connection asks for the Pod, with one of them empty none does."""
    fixture.cluster()
    pod = {"POD_NAMESPACE": fixture.namespace, "POD_NAME": "p", "POD_UID": "u"}
    for name, environment, found in (("all", pod, True), ("two", {**pod, "POD_UID": ""}, False)):
        fixture.blue.audit.mark()
        driver = fixture.drive(environment, name)
        driver.await_connected()
        check_equal(f"{name}: requests for Pods", summary(fixture.blue.requests(resource="pods")), [
            f"get /api/v1/namespaces/{fixture.namespace}/pods/p?timeout=10s 404"] if found else [])
        check_equal(f"{name}: the line", driver.logged(
            "Found controller Pod metadata" if found else "Couldn't find controller Pod metadata"), 1)


@scenario()
def cc_06_a_cluster_nobody_knows(fixture):
    driver = fixture.drive()
    check_down(driver)
    check_equal("health", driver.numbers("health", "c1"), [0, 0, 0])


@scenario()
def cc_15_a_connection_that_is_there_is_not_made_again(fixture):
    driver = connected(fixture, **CALM)
    before = driver.ask("health", "c1")
    fixture.blue.audit.mark()
    for _ in range(5):
        check("the next probe is far away", driver.numbers("reconcile", "c1")[0] > 500_000)
    time.sleep(2)
    check_equal("requests", summary(fixture.blue.audit.entries(user=fixture.blue.user)), [])
    check_equal("health", driver.ask("health", "c1"), before)


@scenario()
def cc_16_an_index_is_synced_when_the_connection_is_there(fixture):
    first = fixture.node("n1", "aws:///1")
    plain = connected(fixture, name="plain", **CALM)
    check_equal("requests without an index", [one["requestURI"].partition("?")[0] for one in
                                              fixture.blue.audit.entries(user=fixture.blue.user)],
                ["/", "/api", "/apis", "/api/v1/namespaces/kube-system"])
    check_equal("streams without an index", summary(fixture.blue.audit.streams(user=fixture.blue.user)), [])
    plain.stop()
    fixture.blue.audit.mark()
    driver = fixture.drive(index="on", **CALM)
    driver.await_connected()
    check_equal("streams with an index", len(fixture.blue.audit.streams(**of_nodes(fixture))), 1)
    check_equal("found at once", driver.names("indexed", "c1", "aws:///1"), [first])


@scenario()
def cc_18_does_it_run_on_the_cluster_itself(fixture):
    """Outside of a cluster there is no other server to go to, so that a yes is an error of its own."""
    fixture.cluster()
    path = f"/api/v1/namespaces/{fixture.namespace}/pods"
    uid = fixture.blue.admin.ask("POST", path, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "a", "image": "a"}]}})["metadata"]["uid"]
    same = {"POD_NAMESPACE": fixture.namespace, "POD_NAME": "p", "POD_UID": uid, "KUBERNETES_SERVICE_HOST": ""}
    for name, other in (("name", {"POD_NAME": "q"}), ("namespace", {"POD_NAMESPACE": "kube-system"}),
                        ("uid", {"POD_UID": "x"}), ("none", {"POD_NAME": ""})):
        driver = fixture.drive({**same, **other}, name)
        driver.await_connected()
        check_equal(f"another {name}", driver.logged("error getting in-cluster REST config"), 0)
        driver.stop()
    driver = fixture.drive(same, "same")
    until("the same", lambda: driver.logged("error getting in-cluster REST config"), 20)
    check("not connected", not driver.is_connected())
    fixture.blue.admin.ask("DELETE", f"{path}/p?gracePeriodSeconds=0")


@scenario()
def cc_23_what_is_not_connected_is_not_probed(fixture):
    fixture.cluster(provisioned=False)
    driver = fixture.drive()
    until("it is known", lambda: driver.numbers("count") == [1, 0], 20)
    check_equal("a probe", driver.ask("probe", "c1"), "")
    check_equal("the line", driver.logged("Skipping health check, not connected"), 1)
    time.sleep(1)
    check_equal("requests", summary(fixture.blue.audit.entries(user=fixture.blue.user)), [])
    check_equal("series", driver.series(), {})


@scenario()
def cc_24_a_success_clears_failures(fixture):
    driver, proxy = behind_proxy(fixture, probe="3s")
    proxy.set_mode(Proxy.REFUSE)
    until("four failures", lambda: driver.numbers("health", "c1")[2] == 4, 60, 0.05)
    proxy.set_mode(Proxy.PASS)
    until("none any more", lambda: driver.numbers("health", "c1")[2] == 0, 20)
    probe, success, _ = driver.numbers("health", "c1")
    check_equal("the last success is the last probe", success, probe)
    check_equal("disconnects", driver.logged('"Disconnected"'), 0)


@scenario()
def cc_25_a_recent_probe_is_not_repeated(fixture):
    driver = connected(fixture, probe="1m")
    fixture.blue.audit.mark()
    time.sleep(4)
    after = driver.numbers("reconcile", "c1")[0]
    check(f"the rest of the minute: {after} ms", 30_000 < after <= 56_000)
    check_equal("requests", summary(fixture.blue.audit.entries(user=fixture.blue.user)), [])
    check("it says so", driver.logged("as health probe was already run within the last 1m0s"))


@scenario()
def cc_27_a_disconnect_ends_every_stream_and_twice_is_once(fixture):
    """CC-26 with streams that can be counted, CC-27."""
    driver = connected(fixture, **CALM)
    driver.ask("watch", "c1", NODE, "nodes")
    driver.ask("watch", "c1", NAMESPACE, "namespaces")
    mine = {"user": fixture.blue.user}
    until("two streams", lambda: len(fixture.blue.audit.open_streams(**mine)) == 2, 20)
    before = driver.ask("health", "c1")
    driver.ask("disconnect", "c1")
    until("no stream", lambda: not fixture.blue.audit.open_streams(**mine), 20)
    check_equal("health", driver.ask("health", "c1"), before)
    check_equal("the gauge", list(driver.series().values()), [0])
    driver.ask("disconnect", "c1")
    check_equal("the line", driver.logged("Skipping disconnect, already disconnected"), 1)
    check_equal("disconnects", driver.logged('"Disconnected"'), 1)
    check_equal("accessors, connections", driver.numbers("count"), [1, 0])


@scenario()
def cc_28_after_a_disconnect_everybody_is_told(fixture):
    driver, proxy = behind_proxy(fixture, probe="1s")
    check_equal("a client", driver.ask("client", "c1"), proxy.url)
    check_equal("a configuration", driver.ask("config", "c1"), proxy.url)
    proxy.set_mode(Proxy.REFUSE)
    until("it is given up", lambda: not driver.is_connected(), 40)
    check_down(driver)
    check("health goes on", driver.numbers("health", "c1")[2] >= 5)


@scenario()
def cc_31_a_cluster_that_is_filtered_out_is_forgotten(fixture):
    """CC-31, CC-32: and begins anew when it is not any more."""
    driver, proxy = behind_proxy(fixture, probe="1s")
    driver.ask("watch", "c1", NODE, "w")
    until("a stream", lambda: fixture.blue.audit.open_streams(**of_nodes(fixture)), 20)
    driver.ask("filter", "out")
    until("it is forgotten", lambda: driver.numbers("count") == [0, 0], 20)
    check_equal("series", driver.series(), {})
    check_equal("health", driver.numbers("health", "c1"), [0, 0, 0])
    check_in("the log", "Cluster filtered out by ClusterFilter, not connecting", driver.log())
    check_equal("deletions", driver.logged("Cluster has been deleted"), 0)
    until("no stream", lambda: not fixture.blue.audit.open_streams(**of_nodes(fixture)), 20)
    proxy.set_mode(Proxy.REFUSE)
    driver.ask("filter", "in")
    driver.ask("reconcile", "c1")
    until("an attempt that fails", lambda: driver.numbers("health", "c1")[2] == 1, 20)
    driver.ask("filter", "out")
    driver.ask("reconcile", "c1")
    proxy.set_mode(Proxy.PASS)
    driver.ask("filter", "in")
    driver.ask("reconcile", "c1")
    driver.await_connected(timeout=20)  # and not after the 30 s that a failure costs
    check_equal("failures", driver.numbers("health", "c1")[2], 0)


@scenario()
def cc_34_a_watch_needs_a_name_and_a_connection(fixture):
    """CC-34, CC-35."""
    fixture.cluster("c2", provisioned=False)
    driver = connected(fixture, **CALM)
    check_in("without a name", "watcher.Name() cannot be empty", driver.refusal("watch", "c1", NODE))
    until("c2 is known", lambda: driver.numbers("count") == [2, 1], 20)
    check_equal("without a connection", driver.refusal("watch", "c2", NODE, "test-watch"),
                f"NotConnected: error creating watch test-watch for Node: {DOWN}")


@scenario()
def cc_36_a_watch_tells_of_what_happens(fixture):
    fixture.node("n1")
    driver = connected(fixture, **CALM)
    driver.ask("watch", "c1", NODE, "w")
    await_seen(fixture, driver, "w", ["+n1!"])
    full = fixture.node("n2")
    await_seen(fixture, driver, "w", ["+n1!", "+n2"])
    fixture.blue.admin.patch("Node", None, full, {"metadata": {"labels": {"a": "b"}}})
    await_seen(fixture, driver, "w", ["+n1!", "+n2", "~n2"])
    fixture.blue.admin.delete("Node", None, f"{fixture.namespace}-n1")
    await_seen(fixture, driver, "w", ["+n1!", "+n2", "~n2", "-n1"])


@scenario()
def cc_37_watches_of_a_kind_share_a_stream(fixture):
    """CC-37: told twice it is one watch. CC-38: two of a kind have one stream, and both are told."""
    driver = connected(fixture, **CALM)
    for name in ("a", "a", "b"):
        driver.ask("watch", "c1", NODE, name)
    check_equal("the line", driver.logged("Skip creation of watch a for Node because it already exists"), 1)
    until("a stream", lambda: fixture.blue.audit.streams(**of_nodes(fixture)), 20)
    fixture.node("n1")
    for name in ("a", "b"):
        await_seen(fixture, driver, name, ["+n1"])
    check_equal("streams", len(fixture.blue.audit.streams(**of_nodes(fixture))), 1)


@scenario()
def cc_39_a_start_that_fails_is_not_recorded(fixture):
    driver = connected(fixture, **CALM)
    check_in("a failure", "error creating watch w for Node: not now", driver.refusal("own", "c1", NODE, "w", "fails"))
    for _ in range(2):
        driver.ask("own", "c1", NODE, "w", "works")
    check_equal("starts", driver.numbers("starts", "w"), [2])
    check_equal("streams", summary(fixture.blue.audit.streams(**of_nodes(fixture))), [])


@scenario()
def cc_40_after_a_reconnect_a_watch_is_asked_for_anew(fixture):
    fixture.node("n1")
    driver = connected(fixture, **CALM)
    driver.ask("watch", "c1", NODE, "w")
    await_seen(fixture, driver, "w", ["+n1!"])
    driver.ask("disconnect", "c1")
    until("no stream", lambda: not fixture.blue.audit.open_streams(**of_nodes(fixture)), 20)
    fixture.node("n2")
    driver.ask("reconcile", "c1")
    driver.await_connected()
    time.sleep(1)
    await_seen(fixture, driver, "w", ["+n1!"])
    check_equal("streams", fixture.blue.audit.open_streams(**of_nodes(fixture)), [])
    driver.ask("watch", "c1", NODE, "w")
    await_seen(fixture, driver, "w", ["+n1!", "+n1!", "+n2!"])


@scenario()
def cc_41_every_source_is_told_once(fixture):
    driver, proxy = behind_proxy(fixture, probe="1s", sources=3)
    until("a connection is told", lambda: driver.numbers("told") == [1, 1, 1], 10)
    check_equal("the reason", driver.logged('targetController="driver" reasons="connect"'), 3)
    proxy.set_mode(Proxy.REFUSE)
    until("its end is told", lambda: driver.numbers("told") == [2, 2, 2], 40)
    check_equal("the reason", driver.logged('reasons="disconnect"'), 3)
    fixture.management.delete("Cluster", fixture.namespace, "c1")
    until("it is forgotten", lambda: driver.numbers("count") == [0, 0], 20)
    check_equal("of that nobody is told", driver.numbers("told"), [2, 2, 2])


@scenario(timeout=300)
def cc_44_an_outage_is_told_once(fixture):
    driver, proxy = behind_proxy(fixture, probe="1s", retry="2s", sources=1, outage="15s")
    for before in (1, 4):
        until("connected", lambda: driver.numbers("told") == [before], 20)
        proxy.set_mode(Proxy.REFUSE)
        until("the end and the outage", lambda: driver.numbers("told") == [before + 2], 60)
        time.sleep(8)
        check_equal("not again", driver.numbers("told"), [before + 2])
        proxy.set_mode(Proxy.PASS)
        driver.await_connected()
    until("connected", lambda: driver.numbers("told") == [7], 20)
    check_equal("the reason", driver.logged("health probe didn't succeed since more than 15s"), 2)


@scenario()
def cc_47_managed_fields_are_not_kept(fixture):
    driver = connected(fixture, **CALM)
    live = driver.object("live", "c1", "namespaces.v1.", "default")["metadata"]
    cached = driver.object("get", "c1", NAMESPACE, "default")["metadata"]
    check("the server has them", live["managedFields"])
    check_equal("everything else", cached, {key: live[key] for key in live if key != "managedFields"})


@scenario()
def cc_48_kinds_that_are_never_cached(fixture):
    full = fixture.node("n1")
    driver = connected(fixture, uncached=NODE, **CALM)
    for count in (1, 2, 3):
        check_equal("a get", driver.object("get", "c1", NODE, full)["metadata"]["name"], full)
        check_in("a list", full, driver.names("list", "c1", NODE))
        for verb in ("get", "list"):
            asked = fixture.blue.audit.entries(verbs=(verb,), **of_nodes(fixture))
            check_equal(f"{verb}s of the server", len(asked), count)
    check_equal("streams", summary(fixture.blue.audit.streams(**of_nodes(fixture))), [])


@scenario()
def cc_49_nodes_by_their_provider_id(fixture):
    ids = [f"aws:///{fixture.namespace}/{number}" for number in (1, 2)]
    names = [fixture.node("n1", ids[0]), fixture.node("n2", ids[1])]
    fixture.node("n3")
    driver = connected(fixture, index="on", **CALM)
    fixture.blue.audit.mark()
    for name, provider in zip(names, ids):
        check_equal(provider, driver.names("indexed", "c1", provider), [name])
    check_equal("no provider", driver.names("indexed", "c1", ""), [])
    check_equal("another", driver.names("indexed", "c1", "aws:///other"), [])
    check_equal("requests", summary(fixture.blue.requests()), [])
    fixture.blue.admin.delete("Node", None, names[1])
    until("it is gone from the index", lambda: driver.names("indexed", "c1", ids[1]) == [], 20)


@scenario()
def cc_50_the_uncached_client_asks_every_time(fixture):
    """On green, where no other scenario makes Nodes."""
    driver = fixture.drive(**CALM)
    check_in("before", f"error getting uncached client: {DOWN}", driver.refusal("live-list", "c1", NODES))
    fixture.cluster(workload=fixture.green)
    driver.await_connected()
    check_equal("an empty cluster", driver.names("live-list", "c1", NODES), [])
    full = fixture.node("n1", workload=fixture.green)
    check_equal("with a Node", driver.names("live-list", "c1", NODES), [full])
    mine = {"user": fixture.green.user, "resource": "nodes"}
    check_equal("lists of the server", len(fixture.green.audit.entries(verbs=("list",), **mine)), 2)
    check_equal("streams", summary(fixture.green.audit.streams(**mine)), [])
    driver.ask("disconnect", "c1")
    check_in("afterwards", f"error getting uncached client: {DOWN}", driver.refusal("live-list", "c1", NODES))


@scenario()
def cc_51_the_first_read_of_a_kind_begins_its_cache(fixture):
    full = fixture.node("n1")
    driver = connected(fixture, **CALM)
    check_equal("streams before", summary(fixture.blue.audit.streams(**of_nodes(fixture))), [])
    for _ in range(2):
        check_equal("a get", driver.object("get", "c1", NODE, full)["metadata"]["name"], full)
    check_in("a list", full, driver.names("list", "c1", NODE))
    check_equal("what is not there", driver.refusal("get", "c1", NODE, "x-y-z"), 'NotFound: Node "x-y-z" not found')
    check_equal("streams", len(fixture.blue.audit.streams(**of_nodes(fixture))), 1)
    check_equal("lists and gets", summary(fixture.blue.audit.entries(verbs=("list", "get"), **of_nodes(fixture))), [])


METRICS = """\
# HELP capi_cluster_cache_connection_up Whether the connection to the cluster is up.
# TYPE capi_cluster_cache_connection_up gauge
capi_cluster_cache_connection_up{LABELS} N
# HELP capi_cluster_cache_healthcheck Result of the last clustercache healthcheck for a cluster.
# TYPE capi_cluster_cache_healthcheck gauge
capi_cluster_cache_healthcheck{LABELS} N
# HELP capi_cluster_cache_healthchecks_total Results of all clustercache healthchecks.
# TYPE capi_cluster_cache_healthchecks_total counter
capi_cluster_cache_healthchecks_total{LABELS,status="error"} N
capi_cluster_cache_healthchecks_total{LABELS,status="success"} N
"""


@scenario()
def cc_52_metrics_are_named_and_ordered_as_dashboards_expect(fixture):
    driver, proxy = behind_proxy(fixture, probe="2s")
    until("a probe", lambda: driver.logged("Health probe succeeded"), 20)
    proxy.set_mode(Proxy.REFUSE)
    until("a failed one", lambda: driver.logged("Health probe failed"), 20)
    text = "".join(line + "\n" for line in driver.metrics_text().splitlines() if "capi_cluster_cache_" in line)
    labels = f'cluster_name="c1",cluster_namespace="{fixture.namespace}"'
    check_equal("the text", re.sub(r"\} [0-9]+\n", "} N\n", text.replace(labels, "LABELS")), METRICS)


@scenario(timeout=300)
def cc_54_healthy_clusters_do_not_notice_sick_ones(fixture):
    """CC-54, CC-55: 100 clusters, every fifth swallows what it is sent, and 100 consumers for a minute."""
    hole = Proxy(fixture.blue.port)
    hole.set_mode(Proxy.SWALLOW)

    def cluster(number):
        fixture.cluster(f"c{number}", fixture.blue if number % 2 else fixture.green,
                      url=hole.url if number % 5 == 4 else None)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(cluster, range(100)))
    driver = fixture.drive(concurrency=10)
    until("healthy ones are connected", lambda: driver.numbers("count") == [100, 80], 60)
    until("each was tried", lambda: all(driver.numbers("health", f"c{number}")[0] for number in range(4, 100, 5)), 60)
    good, bad, longest, slow = driver.numbers("load", "1m", "100")
    fixture.tell(f"{good + bad} calls, {bad} of them of sick clusters; the longest took {longest / 1000:.2f} ms of the "
               f"processor, {slow} took more than 5 ms")
    check("both were called", good > bad > 0)
    # A pause of the virtual machine counts as time of the processor: one in 100,000 calls may be hit by one.
    check("CC-55: no call takes longer than a few milliseconds", slow <= (good + bad) // 100000)
    metrics = driver.metrics_text()
    for name in ("errors", "panics"):
        check_in(name, f'controller_runtime_reconcile_{name}_total{{controller="clustercache"}} 0', metrics)


@scenario()
def cc_56_a_watch_that_ends_goes_on_without_a_list(fixture):
    fixture.node("n1")
    proxy = ShortWatches(fixture.blue.server, 3)
    fixture.cluster(url=proxy.url)
    driver = fixture.drive(**CALM)
    driver.await_connected()
    driver.ask("watch", "c1", NODE, "w")
    await_seen(fixture, driver, "w", ["+n1!"])
    until("three streams", lambda: len(fixture.blue.audit.streams(**of_nodes(fixture))) == 3, 30)
    fixture.node("n2")
    await_seen(fixture, driver, "w", ["+n1!", "+n2"])
    first, *later = fixture.blue.audit.streams(**of_nodes(fixture))
    check_in("the first", "sendInitialEvents=true", first["requestURI"])
    check("the others go on", all(re.search(r"resourceVersion=[1-9]", one["requestURI"]) for one in later))
    check("and have no list", not any("sendInitialEvents" in one["requestURI"] for one in later))
    check_equal("lists", summary(fixture.blue.audit.entries(verbs=("list",), **of_nodes(fixture))), [])


@scenario(serial=True, timeout=300)
def cc_57_a_server_that_forgot_is_asked_for_everything(fixture):
    """A server that was restarted does not know the version any more that a watch would go on from."""
    gone = fixture.node("n1")
    driver, proxy = behind_proxy(fixture, **CALM)
    driver.ask("watch", "c1", NODE, "w")
    await_seen(fixture, driver, "w", ["+n1!"])
    proxy.vanish()
    fixture.blue.admin.delete("Node", None, gone)
    fixture.node("n2")
    supervisor.ask(fixture.options.folder, "restart", "blue", "kube-apiserver")
    until("the server is there", fixture.blue.admin.ready, 60)
    await_seen(fixture, driver, "w", ["+n1!"])
    fixture.blue.audit.mark()
    proxy.come_back()
    until("all is told", lambda: sorted(seen(fixture, driver, "w")) == ["+n1!", "+n2", "-n1?"], 90)
    check_equal("the cache", [one for one in driver.names("list", "c1", NODE) if fixture.namespace in one],
                [f"{fixture.namespace}-n2"])
    check_equal("lists", summary(fixture.blue.audit.entries(verbs=("list",), **of_nodes(fixture))), [])
    first, *_, last = fixture.blue.audit.streams(**of_nodes(fixture))
    check("first it goes on", re.search(r"resourceVersion=[1-9]", first["requestURI"]))
    check_in("then everything", "sendInitialEvents=true", last["requestURI"])
    pause = moment(last) - moment(first)
    # It has doubled with each refusal while the server restarted, from 0.8 s to 30 s, and varies by as much.
    refusals = driver.logged("Connection refused")
    check(f"after a pause: {pause:.2f} s", 0.8 <= pause < min(30, 0.8 * 2 ** refusals) * 2 + 1)


@scenario()
def cc_58_what_was_deleted_unseen_is_told(fixture):
    gone = fixture.node("n1")
    driver, proxy = behind_proxy(fixture, **CALM)
    driver.ask("watch", "c1", NODE, "w")
    await_seen(fixture, driver, "w", ["+n1!"])
    proxy.set_mode(Proxy.REFUSE)  # TLS fails: the next attempt begins with a list
    until("it has noticed", lambda: driver.logged("Cache cannot follow the server"), 20)
    fixture.blue.admin.delete("Node", None, gone)
    time.sleep(1)
    await_seen(fixture, driver, "w", ["+n1!"])
    proxy.set_mode(Proxy.PASS)
    await_seen(fixture, driver, "w", ["+n1!", "-n1?"])
    check_equal("it is gone", driver.refusal("get", "c1", NODE, gone), f'NotFound: Node "{gone}" not found')


@scenario()
def a_watch_of_a_kind_that_comes_later(fixture):
    """Asking succeeds; it tells as soon as the server has the kind."""
    group, kind = f"{fixture.namespace}.example.com", "Late"
    driver = connected(fixture, **CALM)
    driver.ask("watch", "c1", f"{kind}.v1.{group}", "w")
    time.sleep(2)
    fixture.blue.admin.create({
        "kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"name": f"lates.{group}"}, "spec": {
            "group": group, "scope": "Cluster", "names": {"plural": "lates", "singular": "late", "kind": kind},
            "versions": [{"name": "v1", "served": True, "storage": True,
                          "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
    try:
        path = f"/apis/{group}/v1/lates"
        until("it is served", lambda: fixture.blue.admin.request("GET", path)[0] == 200, 20)
        fixture.blue.admin.ask("POST", path, {"kind": kind, "apiVersion": f"{group}/v1", "metadata": {
            "name": f"{fixture.namespace}-one"}})
        until("it is told", lambda: [one.rstrip("!") for one in seen(fixture, driver, "w")] == ["+one"], 60)
    finally:
        fixture.blue.admin.delete("CustomResourceDefinition", None, f"lates.{group}")
