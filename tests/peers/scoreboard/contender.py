"""What is compared, and the management cluster it works on: kube-apiserver with Cluster API's definitions."""
import os
import re
import signal
import subprocess
import urllib.request

from lib.cluster_api import INFRASTRUCTURE, ClusterApi
from lib.fixture import encoded
from lib.kube import until
from lib.plane import die_with_parent, free_ports

from workloads import cpu_of, memory_of

NAMES = {"corset": "corset", "sets": "Cluster API's sets alone", "manager": "Cluster API's manager"}
NAMESPACE = "fleet"
WEBHOOKS = re.compile(r"^kind: (Validating|Mutating)WebhookConfiguration$", re.M)


class Management(ClusterApi):
    """Webhooks are installed for the contender that serves them; nothing runs before the contender does."""

    def __init__(self, options, home, folder, with_webhooks):
        super().__init__(options, home, folder)
        self.with_webhooks = with_webhooks

    def start(self):
        self.plane.start()
        self.plane.wait_ready()
        self._serve_webhooks()
        self._install()
        self.add_infrastructure()
        self.admin.create({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": NAMESPACE}})

    def _apply(self, documents):
        super()._apply([one for one in documents if self.with_webhooks or not WEBHOOKS.search(one)])

    def register(self, workloads, index, labels):
        """A Cluster that is ready to be connected to, with its kubeconfig Secret."""
        name = f"c{index:05d}"
        self.admin.create({"kind": "Secret", "apiVersion": "v1", "type": "cluster.x-k8s.io/secret",
                           "metadata": {"name": f"{name}-kubeconfig", "namespace": NAMESPACE,
                                        "labels": {"cluster.x-k8s.io/cluster-name": name}},
                           "data": {"value": encoded(workloads.kubeconfig(index))}})
        endpoint = {"host": "127.0.0.1", "port": workloads.port(index)}
        self.admin.ask("POST", f"/apis/{INFRASTRUCTURE[0]}/v1/namespaces/{NAMESPACE}/{INFRASTRUCTURE[1]}", {
            "kind": INFRASTRUCTURE[2], "apiVersion": f"{INFRASTRUCTURE[0]}/v1", "metadata": {"name": name},
            "spec": {"controlPlaneEndpoint": endpoint}, "status": {"initialization": {"provisioned": True}}})
        self.admin.create({
            "kind": "Cluster", "apiVersion": "cluster.x-k8s.io/v1beta2",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels},
            "spec": {"controlPlaneEndpoint": endpoint, "infrastructureRef": {
                "apiGroup": INFRASTRUCTURE[0], "kind": INFRASTRUCTURE[2], "name": name}}})
        self.admin.patch("Cluster", NAMESPACE, name, {"status": {"initialization": {
            "infrastructureProvisioned": True, "controlPlaneInitialized": True}}}, "status")
        return name


class Contender:
    """One process; defaults of each but for where it listens."""

    def __init__(self, which, options, management):
        self.folder, self.which, self.process = management.folder, which, None
        self.commands = {
            "corset": [options.corset, "controller", "--kubeconfig", management.config, "--insecure-diagnostics"],
            "sets": [os.path.join(options.home, "sets"), "--kubeconfig", management.config],
            "manager": management._manager(),
        }

    def start(self):
        self.health, self.diagnostics = free_ports(2)
        with open(os.path.join(self.folder, f"{self.which}.log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.commands[self.which], f"--health-addr=127.0.0.1:{self.health}",
                 f"--diagnostics-address=127.0.0.1:{self.diagnostics}"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)

    def wait_ready(self):
        until(f"{self.which} is ready", self._is_ready, 120)

    def _is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.which} ended with {self.process.returncode}; see {self.folder}")
        return self._read(self.health, "readyz") is not None

    @staticmethod
    def _read(port, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=30) as answer:
                return answer.read().decode()
        except OSError:
            return None

    def connected(self):
        """Clusters, by the gauge that both programs have."""
        text = self._read(self.diagnostics, "metrics") or ""
        return sum(float(one) for one in re.findall(r"^capi_cluster_cache_connection_up\{.*\} (\S+)$", text, re.M))

    def cpu(self):
        return cpu_of(self.process.pid)

    def memory(self):
        return memory_of(self.process.pid)

    def stop(self):
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
