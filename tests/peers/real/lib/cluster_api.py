"""Cluster API itself, on a control plane of its own: its definitions and webhooks, and its real manager.

No Pod runs there. Whoever edits a Deployment sees what a kubelet would do: the program is started anew with
the Deployment's arguments, and when it is ready the Deployment's status says so.
"""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import urllib.request

from lib import install
from lib.kube import ApiError, until
from lib.plane import Plane, die_with_parent, free_ports, steady_ports

SKIPPED = 77
SYSTEM = "capi-system"
MANAGER = "capi-controller-manager"
INFRASTRUCTURE = ("infrastructure.cluster.x-k8s.io", "looseclusters", "LooseCluster")
BINDS = ("--leader-elect", "--diagnostics-address", "--insecure-diagnostics", "--health-addr")  # of a Pod, not of here


def find_manager(root):
    """The folder with the manager and its manifests; ends the scenario where it is not to be had."""
    found = subprocess.run([os.path.join(root, "tools", "cluster-api"), "--where"], capture_output=True, text=True)
    if found.returncode != 0:
        print("the manager of Cluster API is not there; tools/cluster-api builds it")
        sys.exit(SKIPPED)
    return found.stdout.strip()


class Pod:
    """The program of a Deployment."""

    def __init__(self, command, log_path, health):
        with open(log_path, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            preexec_fn=die_with_parent)
        self.health = health

    def ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.process.args[0]} ended with {self.process.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ClusterApi:
    """`start()` returns when the manager is ready; `stop()` ends everything."""

    def __init__(self, options, home, folder):
        self.options, self.home = options, home
        shutil.rmtree(folder, ignore_errors=True)
        self.plane = Plane(folder, "cluster-api", options.assets, controllers=True)
        self.folder, self.admin = folder, self.plane.admin
        self.webhook_port = steady_ports(1)[0]
        self.config = os.path.join(folder, "admin.kubeconfig")
        self._write(self.config, self.admin.kubeconfig())
        self.kubectl = install.kubectl(options.root, options.assets)
        self.pods, self.generations = {}, {}
        self.ended, self.failure = threading.Event(), None
        self.kubelet = threading.Thread(target=self._run_pods, daemon=True)

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o600)

    def run(self, *arguments, text=None):
        """kubectl, as the administrator; what it printed."""
        done = subprocess.run([self.kubectl, "--kubeconfig", self.config, *arguments], input=text,
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def start(self):
        self.plane.start()
        self.plane.wait_ready()
        self._serve_webhooks()
        self._install()
        self.kubelet.start()
        self.wait_rolled_out(SYSTEM, MANAGER)
        self.add_infrastructure()

    def stop(self):
        self.ended.set()
        if self.kubelet.is_alive():
            self.kubelet.join()
        for pod in self.pods.values():
            pod.stop()
        self.plane.stop()

    # -- what clusterctl and cert-manager do

    def _serve_webhooks(self):
        certificate, key = self.plane.authority.server("webhook", ["127.0.0.1"])
        self.certificates = os.path.join(self.folder, "webhook")
        os.makedirs(self.certificates, exist_ok=True)
        shutil.copy(certificate, os.path.join(self.certificates, "tls.crt"))
        shutil.copy(key, os.path.join(self.certificates, "tls.key"))
        with open(self.plane.authority.certificate, "rb") as file:
            self.authority = base64.b64encode(file.read()).decode()

    def _install(self):
        text = subprocess.run([self.kubectl, "kustomize", os.path.join(self.home, "config", "default")],
                              capture_output=True, text=True, check=True).stdout
        text = re.sub(r"\$\{[A-Z0-9_]+:=([^}]*)\}", r"\1", text)
        documents = [one for one in re.split(r"^---\n", text, flags=re.M) if "cert-manager.io/v1\n" not in one]
        self._apply([one for one in documents if "\nkind: Namespace\n" in one])
        self._apply([one for one in documents if "\nkind: Namespace\n" not in one])
        until("the kinds are served", lambda: self.admin.request(
            "GET", "/apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesets")[0] == 200)

    def add_infrastructure(self):
        """A kind that stands for a provider's: Cluster API takes no Cluster without infrastructure."""
        self.admin.create({
            "kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
            "metadata": {"name": f"{INFRASTRUCTURE[1]}.{INFRASTRUCTURE[0]}",
                         "labels": {"cluster.x-k8s.io/v1beta2": "v1"}},
            "spec": {"group": INFRASTRUCTURE[0], "scope": "Namespaced",
                     "names": {"kind": INFRASTRUCTURE[2], "plural": INFRASTRUCTURE[1]},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
        path = f"/apis/{INFRASTRUCTURE[0]}/v1/{INFRASTRUCTURE[1]}"
        until("infrastructure is served", lambda: self.admin.request("GET", path)[0] == 200)

    def cluster(self, namespace, name, port, labels):
        """A Cluster whose infrastructure is there."""
        self.admin.ask("POST", f"/apis/{INFRASTRUCTURE[0]}/v1/namespaces/{namespace}/{INFRASTRUCTURE[1]}", {
            "kind": INFRASTRUCTURE[2], "apiVersion": f"{INFRASTRUCTURE[0]}/v1", "metadata": {"name": name},
            "spec": {"controlPlaneEndpoint": {"host": "127.0.0.1", "port": port}},
            "status": {"initialization": {"provisioned": True}}})
        self.admin.create({
            "kind": "Cluster", "apiVersion": "cluster.x-k8s.io/v1beta2",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"infrastructureRef": {"apiGroup": INFRASTRUCTURE[0], "kind": INFRASTRUCTURE[2], "name": name}}})

    def _apply(self, documents):
        rest = self.run("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-",
                        text="---\n".join(documents)).strip()
        things = []
        while rest:
            thing, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].lstrip()
            if thing["kind"] == "CustomResourceDefinition":
                self._redirect(thing["spec"].get("conversion", {}).get("webhook", {}))
            for webhook in thing.get("webhooks", []):
                self._redirect(webhook)
            things.append(thing)
        self.run("apply", "--server-side", "-f", "-",
                 text=json.dumps({"kind": "List", "apiVersion": "v1", "items": things}))

    def _redirect(self, webhook):
        """The manager listens on this machine, and not behind a Service."""
        service = webhook.get("clientConfig", {}).get("service")
        if service:
            webhook["clientConfig"] = {"url": f"https://127.0.0.1:{self.webhook_port}{service['path']}",
                                       "caBundle": self.authority}

    # -- what a kubelet does

    def _run_pods(self):
        while not self.ended.wait(0.2):
            try:
                for thing in self.admin.list("Deployment"):
                    self._run_pod(thing)
            except (OSError, ApiError):
                pass  # the next turn comes soon
            except AssertionError as error:
                self.failure = str(error)

    def _run_pod(self, deployment):
        meta = deployment["metadata"]
        if self.generations.get(meta["uid"]) == meta["generation"]:
            return
        self.generations[meta["uid"]] = meta["generation"]
        pod = self.pods.pop(meta["name"], None)
        if pod:
            pod.stop()
        arguments = [one for one in deployment["spec"]["template"]["spec"]["containers"][0]["args"]
                     if one.partition("=")[0] not in BINDS]
        health, diagnostics = free_ports(2)
        program = self._manager() if meta["name"] == MANAGER else self._corset(meta["namespace"])
        pod = Pod([program[0], *arguments, *program[1:], f"--health-addr=127.0.0.1:{health}",
                   f"--diagnostics-address=127.0.0.1:{diagnostics}"],
                  os.path.join(self.folder, f"{meta['name']}.log"), health)
        self.pods[meta["name"]] = pod
        until(f"{meta['name']} is ready", pod.ready, 120)
        replicas = {name: 1 for name in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")}
        self.admin.patch("Deployment", meta["namespace"], meta["name"], {"status": {
            **replicas, "observedGeneration": meta["generation"]}}, "status")

    def _manager(self):
        return [os.path.join(self.home, "manager"), "--kubeconfig", self.config, "--webhook-port",
                str(self.webhook_port), "--webhook-cert-dir", self.certificates, "--insecure-diagnostics"]

    def _corset(self, namespace):
        """As the account that deploy/ makes."""
        token = self.admin.ask("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/corset/token", {
            "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "spec": {"expirationSeconds": 3600}})
        path = os.path.join(self.folder, "corset.kubeconfig")
        user = install.Server(self.admin.url, self.admin.authority, token=token["status"]["token"])
        self._write(path, user.kubeconfig())
        return [self.options.corset, "--kubeconfig", path, "--insecure-diagnostics"]

    def wait_rolled_out(self, namespace, name):
        def is_rolled_out():
            if self.failure:
                raise AssertionError(self.failure)
            found = self.admin.get("Deployment", namespace, name)
            return found and found.get("status", {}).get("observedGeneration") == found["metadata"]["generation"]
        until(f"{name} runs", is_rolled_out, 120)


def commands_of(page, section):
    """The blocks `sh cluster-api` of a section of a page: what a reader would type."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    body = re.split(r"^## ", text.split(f"## {section}\n", 1)[1], flags=re.M)[0]
    return [textwrap.dedent(one) for one in re.findall(r"^ *```sh cluster-api\n(.*?)^ *```$", body, flags=re.M | re.S)]


def type_in(cluster_api, commands):
    """Runs commands in a shell, with kubectl and deploy/ where a reader has them."""
    folder = os.path.join(cluster_api.folder, "desk")
    os.makedirs(folder, exist_ok=True)
    for name, target in (("kubectl", cluster_api.kubectl), ("corset", cluster_api.options.corset),
                         ("deploy", os.path.join(cluster_api.options.root, "deploy"))):
        if not os.path.islink(os.path.join(folder, name)):
            os.symlink(target, os.path.join(folder, name))
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, capture_output=True, text=True,
                          timeout=180, env={**os.environ, "KUBECONFIG": cluster_api.config,
                                            "PATH": folder + ":" + os.environ["PATH"]})
    print(f"$ {commands.strip()}\n{done.stdout}{done.stderr}", flush=True)
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode} of:\n{commands}{done.stderr}")
    return done.stdout
