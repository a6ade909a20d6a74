"""What the tests of the fleet's page share: a fleet, its page, and programs that go away with the test.

    with Fleet(corset, clusters=3) as fleet:
        fleet.config_map("good", MANIFEST)
        fleet.set("cni", ["good"])
        page = fleet.open_web()
        status, headers, body = page.get("/clusters")
"""
import base64
import concurrent.futures
import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time

ADDONS = "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default"
CLUSTERS = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"
MAPS = "/api/v1/namespaces/default/configmaps"
GOOD = "{apiVersion: v1, kind: Namespace, metadata: {name: from-a-set}}"
BAD = "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: nowhere}}"

SETS = ["cni", "ingress", "monitoring"]
REFUSAL = 'admission webhook "policy.example" denied the request: image registry of %s is not allowed'


def await_that(what, question, seconds=60):
    """Until the question has a true answer, which is returned."""
    end = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError("in vain: " + what)
        time.sleep(0.05)


class Page:
    """The page of one server, asked with its cookie."""

    def __init__(self, address):
        found = re.match(r"http://([^/:]+):(\d+)/\?key=([0-9a-f]+)", address)
        self.host, self.port, self.key = found[1], int(found[2]), found[3]
        self.authority = "%s:%d" % (self.host, self.port)
        self.cookie = None

    def ask(self, method, target, headers=None, cookie=True, body=None):
        """(status, headers, body). A refusal because of haste is asked again."""
        while True:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
            sent = dict(headers or {})
            if cookie and self.cookie:
                sent["Cookie"] = self.cookie
            connection.request(method, target, body=body, headers=sent)
            answer = connection.getresponse()
            result = answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), answer.read()
            connection.close()
            if result[0] != 429:
                return result
            time.sleep(0.2)

    def enter(self):
        status, headers, _ = self.ask("GET", "/?key=" + self.key)
        assert status == 303, status
        self.cookie = headers["set-cookie"].split(";")[0]
        return headers["set-cookie"]

    def get(self, target):
        return self.ask("GET", target)

    def html(self, target, status=200):
        seen, _, body = self.get(target)
        assert seen == status, "%s: %d" % (target, seen)
        return body.decode()

    def json(self, target, status=200):
        seen, headers, body = self.ask("GET", target, {"Accept": "application/json"})
        assert seen == status, "%s: %d %s" % (target, seen, body[:200])
        assert headers["content-type"] == "application/json"
        return json.loads(body)

    def stream(self, target, headers=None):
        """An open stream: the answer, whose lines can be read."""
        while True:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
            connection.request("GET", target, headers=dict(headers or {}, Cookie=self.cookie))
            stream = Stream(connection, connection.getresponse())
            if stream.status != 429:
                return stream
            stream.close()
            time.sleep(0.2)


class Stream:
    """Server-sent events, one at a time."""

    def __init__(self, connection, answer):
        self.connection, self.answer = connection, answer
        self.status = answer.status

    def next(self):
        """The next message that has an event: {"id", "event", "data", "bytes"}."""
        message, size = {}, 0
        while True:
            line = self.answer.readline()
            assert line, "the stream has ended"
            size += len(line)
            line = line.decode().rstrip("\n")
            if not line and "event" in message:
                message["bytes"] = size
                message["data"] = json.loads(message["data"])
                return message
            if not line:
                message, size = {}, 0
            elif not line.startswith(":"):
                name, value = line.split(": ", 1)
                message[name] = value

    def close(self):
        self.connection.close()


class Fleet:
    """corset up with virtual clusters, in a folder of its own."""

    def __init__(self, corset, clusters=3, flags=()):
        self.corset, self.work = corset, tempfile.mkdtemp()
        self.clusters, self.flags = clusters, list(flags)
        self.running = []

    def __enter__(self):
        self.start_up()
        return self

    def __exit__(self, *failure):
        for process in reversed(self.running):
            process.kill()
            process.wait()
        shutil.rmtree(self.work, ignore_errors=True)

    def log(self):
        return open(self.work + "/up.log").read()

    def start_up(self, port=0):
        log = open(self.work + "/up.log", "w")
        self.up = subprocess.Popen(
            [self.corset, "up", "--data-dir", self.work + "/data", "--listen", "127.0.0.1:%d" % port,
             "--virtual-clusters", str(self.clusters)] + self.flags, stderr=log)
        self.running.append(self.up)
        await_that("up", lambda: self.up.poll() is None and "corset: ready on" in self.log(), 120)
        self.kubeconfig = self.work + "/data/kubeconfig"
        self.connect()

    def connect(self):
        text = open(self.kubeconfig).read()
        self.port = int(re.search(r'server: "https://127.0.0.1:(\d+)"', text)[1])
        self.tls = ssl.create_default_context(cadata=self.part(text, "certificate-authority"))
        for part in "client-certificate", "client-key":
            with open(self.work + "/" + part, "w") as file:
                file.write(self.part(text, part))
        self.tls.load_cert_chain(self.work + "/client-certificate", self.work + "/client-key")

    @staticmethod
    def part(text, name):
        return base64.b64decode(re.search(name + r"-data: (\S+)", text)[1]).decode()

    def api(self, method, path, body=None, kind="application/yaml", is_json=True):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=30)
        connection.request(method, path, body, {"Content-Type": kind} if body else {})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status < 300, "%s %s: %d %s" % (method, path, answer.status, text[:300])
        return text if not is_json else json.loads(text) if text else None

    def config_map(self, name, manifest):
        self.api("POST", MAPS, json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
                                           "data": {"a": manifest}}))

    def set(self, name, maps, selector=None, annotations=None, strategy="Reconcile"):
        self.api("POST", ADDONS + "/clusterresourcesets", json.dumps({
            "apiVersion": "addons.cluster.x-k8s.io/v1beta2", "kind": "ClusterResourceSet",
            "metadata": {"name": name, "annotations": annotations or {}},
            "spec": {"clusterSelector": {"matchLabels": selector or {"corset.dev/virtual": "true"}},
                     "strategy": strategy,
                     "resources": [{"kind": "ConfigMap", "name": name} for name in maps]}}))

    def patch(self, path, change):
        self.api("PATCH", path, json.dumps(change), "application/merge-patch+json")

    def run(self, *arguments):
        return subprocess.run([self.corset, *arguments], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, KUBECONFIG=self.kubeconfig))

    def status(self):
        return json.loads(self.run("status", "-A", "-o", "json").stdout)

    def start_web(self, *flags, kubeconfig=None):
        web = subprocess.Popen([self.corset, "web", *flags], stdout=subprocess.PIPE, text=True,
                               stderr=open(self.work + "/web.log", "a"),
                               env=dict(os.environ, KUBECONFIG=kubeconfig or self.kubeconfig))
        self.running.append(web)
        self.web = web
        return Page(web.stdout.readline())

    def open_web(self, *flags):
        page = self.start_web(*flags)
        page.enter()
        await_that("the page", lambda: "Loading" not in page.html("/"))
        return page


class Server(Fleet):
    """An API server alone, and objects as controllers would have written them."""

    def start_up(self, port=0):
        self.kubeconfig = self.work + "/kubeconfig"
        self.up = subprocess.Popen([self.corset, "apiserver", "--in-memory", "--listen", "127.0.0.1:0",
                                    "--write-kubeconfig", self.kubeconfig], stderr=open(self.work + "/up.log", "w"))
        self.running.append(self.up)
        await_that("the API server", lambda: os.path.exists(self.kubeconfig), 60)
        time.sleep(1)
        self.connect()

    def kept(self):
        """One connection for many requests."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=60)

        def ask(method, path, body):
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            connection.request(method, path, json.dumps(body), {"Content-Type": kind})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 300, (path, answer.status, text[:300])
        return ask


def cluster(name, number):
    return {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
            "metadata": {"name": name, "labels": {"fleet": "yes", "env": "prod" if number % 3 else "test"}},
            "spec": {"controlPlaneEndpoint": {"host": "10.0.0.1", "port": 6443}}}


def binding(name, is_failed):
    record = {"ingress": {"state": "Failed", "since": "2026-01-01T00:05:00Z", "objects": 12, "why": [
        {"count": 1, "reason": "Forbidden", "message": REFUSAL % name, "objects": []}]}}
    return {"apiVersion": "addons.cluster.x-k8s.io/v1beta2", "kind": "ClusterResourceSetBinding",
            "metadata": {"name": name, "annotations": {"corset.dev/delivery": json.dumps(record)} if is_failed else {}},
            "spec": {"clusterName": name, "bindings": [
                {"clusterResourceSetName": s, "resources": [
                    {"kind": "ConfigMap", "name": s, "hash": "sha256:" + "0" * 64, "applied": not (is_failed and s == "ingress"),
                     "lastAppliedTime": "2026-01-01T00:00:00Z"}]} for s in SETS]}}


def fill(server, count):
    for name in SETS:
        server.set(name, [name], {"fleet": "yes"})

    def part(first):
        ask = server.kept()
        for number in range(first, count, 8):
            name = "c-%05d" % number
            ask("POST", CLUSTERS, cluster(name, number))
            ask("PATCH", CLUSTERS + "/%s/status" % name, {"status": {"initialization": {"infrastructureProvisioned": True}}})
            ask("POST", ADDONS + "/clusterresourcesetbindings", binding(name, number % 1000 == 7))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(part, range(8)))


def run_tests(tests, subject):
    """Runs all tests, or those that the command line names behind the program."""
    wanted = sys.argv[2:]
    failed = 0
    for test in tests:
        if wanted and not any(word in test.__name__ for word in wanted):
            continue
        try:
            test(subject)
            print("ok     " + test.__name__, flush=True)
        except Exception as problem:  # pylint: disable=broad-except
            failed += 1
            print("FAILED %s: %s: %s" % (test.__name__, type(problem).__name__, str(problem)[:600]), flush=True)
    return 1 if failed else 0
