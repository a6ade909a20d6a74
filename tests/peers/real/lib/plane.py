"""A control plane on loopback: etcd, kube-apiserver and, where asked for, kube-controller-manager.

Every process is started with `start()` and dies with the process that started it, so that nothing stays
behind whatever happens. An API server that is started again has the address it had before.
"""
import ctypes
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

from lib import certificates
from lib.kube import Server, until

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager")
CONTROLLERS = ("namespace-controller", "garbage-collector-controller", "serviceaccount-controller",
               "clusterrole-aggregation-controller")
STOP_LIMIT = 5  # seconds; an API server waits up to a minute for its watches to end
START_LIMIT = 240  # seconds; a loaded machine of two cores takes up to one minute for three planes

# What was written is kept with its body, so that scenarios can see the patches; bindings, which grow large,
# and the rest by their address.
WRITES = ["create", "update", "patch", "delete"]
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [{"level": "Request", "verbs": WRITES, "resources": [
        {"group": ""}, {"group": "addons.cluster.x-k8s.io", "resources": [
            "clusterresourcesets", "clusterresourcesets/status"]}]},
              {"level": "Metadata"}]}


def free_ports(count):
    """Ports nobody listens on; all are found before the first is used again."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def steady_ports(count):
    """Ports that stay free until somebody listens: below those that the kernel gives to connections."""
    found = []
    while len(found) < count:
        port = random.randrange(20000, 32000)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found


def die_with_parent():
    """Runs in a child before its program: the kernel ends it when its parent is gone."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.setpgid(0, 0)


class Plane:
    """`admin` is its administrator's client once `start()` returned."""

    def __init__(self, folder, name, assets, controllers, without_admission=(), services="10.0.0.0/24",
                 flow_control=True):
        self.folder, self.name, self.assets = os.path.join(folder, name), name, assets
        self.has_manager = controllers and os.path.exists(os.path.join(assets, "kube-controller-manager"))
        self.processes, self.services, self.flow_control = {}, services, flow_control
        # Nobody makes service accounts where there are no controllers.
        self.without_admission = [*without_admission, *([] if self.has_manager else ["ServiceAccount"])]
        os.makedirs(self.folder, exist_ok=True)
        self.authority = certificates.Authority(os.path.join(self.folder, "pki"), f"{name}-ca")
        # kube-apiserver shows this to the servers of APIServices.
        self.front_authority = certificates.Authority(os.path.join(self.folder, "front-proxy"), f"{name}-front-proxy-ca")
        self.front_client = self.front_authority.client("front-proxy-client", "front-proxy-client")
        self.ports = free_ports(4)  # etcd's two, the API server's, the controllers'
        self.url = f"https://127.0.0.1:{self.ports[2]}"
        self.token_keys = certificates.make_token_keys(self.folder)
        self.serving = self.authority.server("apiserver", ["127.0.0.1", "localhost", "kubernetes.default.svc"])
        self.admin = self.client("admin", "kubernetes-admin", ["system:masters"])
        self._write("audit-policy.json", json.dumps(AUDIT_POLICY))

    def client(self, name, user, groups=(), until_time=None):
        """A client with a certificate of its own."""
        certificate, key = self.authority.client(name, user, groups, until_time)
        return Server(self.url, self.authority.certificate, certificate, key)

    def path(self, name):
        return os.path.join(self.folder, name)

    def _write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def start(self):
        self.start_program("etcd")
        self.start_program("kube-apiserver")

    def wait_ready(self):
        until(f"{self.name} is ready", self._ready_or_dead, START_LIMIT, 0.25)
        if self.has_manager and "kube-controller-manager" not in self.processes:
            self.start_program("kube-controller-manager")

    def _ready_or_dead(self):
        for program, process in self.processes.items():
            if process.poll() is not None:
                raise RuntimeError(f"{self.name}: {program} ended with {process.returncode}; see "
                                   f"{self.path(program + '.log')}")
        return self.admin.ready()

    def start_program(self, program):
        with open(self.path(program + ".log"), "ab") as log:
            arguments = {"etcd": self._etcd, "kube-apiserver": self._apiserver,
                         "kube-controller-manager": self._manager}[program]()
            self.processes[program] = subprocess.Popen(
                [os.path.join(self.assets, program), *arguments], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, preexec_fn=die_with_parent, cwd=self.folder)

    def stop_program(self, program):
        process = self.processes.pop(program, None)
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def stop(self):
        for program in reversed(PROGRAMS):
            self.stop_program(program)

    def _etcd(self):
        clients, peers = (f"http://127.0.0.1:{port}" for port in self.ports[:2])
        return ["--name", self.name, "--data-dir", self.path("etcd"), "--unsafe-no-fsync",
                "--listen-client-urls", clients, "--advertise-client-urls", clients,
                "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                "--initial-cluster", f"{self.name}={peers}", "--log-level", "warn"]

    def _apiserver(self):
        private, public = self.token_keys
        flags = {
            "etcd-servers": f"http://127.0.0.1:{self.ports[0]}",
            "bind-address": "127.0.0.1",
            "advertise-address": "127.0.0.1",
            "secure-port": self.ports[2],
            "cert-dir": self.path("apiserver-certs"),
            "tls-cert-file": self.serving[0],
            "tls-private-key-file": self.serving[1],
            "client-ca-file": self.authority.certificate,
            "authorization-mode": "Node,RBAC",
            "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
            "service-account-key-file": public,
            "service-account-signing-key-file": private,
            "service-cluster-ip-range": self.services,
            "enable-priority-and-fairness": "true" if self.flow_control else "false",
            "shutdown-delay-duration": "0s",
            "audit-policy-file": self.path("audit-policy.json"),
            "audit-log-path": self.path("audit.log"),
            "audit-log-mode": "blocking",
            "audit-log-maxsize": 4096,  # MB: never begun anew, scenarios read it as it grows
            "allow-privileged": "true",
            "requestheader-client-ca-file": self.front_authority.certificate,
            "requestheader-allowed-names": "front-proxy-client",
            "requestheader-username-headers": "X-Remote-User",
            "requestheader-group-headers": "X-Remote-Group",
            "requestheader-extra-headers-prefix": "X-Remote-Extra-",
            "proxy-client-cert-file": self.front_client[0],
            "proxy-client-key-file": self.front_client[1],
            "v": 1,
        }
        if self.without_admission:
            flags["disable-admission-plugins"] = ",".join(self.without_admission)
        return [f"--{name}={value}" for name, value in flags.items()]

    def _manager(self):
        client = self.client("controller-manager", "system:kube-controller-manager")
        return [f"--kubeconfig={self._write('controller-manager.kubeconfig', client.kubeconfig())}",
                f"--authentication-kubeconfig={self.path('controller-manager.kubeconfig')}",
                f"--authorization-kubeconfig={self.path('controller-manager.kubeconfig')}",
                f"--controllers={','.join(CONTROLLERS)}", "--leader-elect=false", "--bind-address=127.0.0.1",
                f"--secure-port={self.ports[3]}", f"--cert-dir={self.path('manager-certs')}",
                f"--service-account-private-key-file={self.token_keys[0]}",
                f"--root-ca-file={self.authority.certificate}", "--use-service-account-credentials=true", "--v=1"]

    def describe(self):
        """What a scenario, another process, needs to know."""
        return {"name": self.name, "folder": self.folder, "url": self.url,
                "authority": self.authority.certificate,
                "admin": [self.admin.certificate, self.admin.key],
                "pids": {program: process.pid for program, process in self.processes.items()}}


def start_all(planes, show=sys.stderr):
    """All at once: most of the time is waiting."""
    begun = time.monotonic()
    for plane in planes:
        plane.start()
    for plane in planes:
        plane.wait_ready()
        print(f"{plane.name}: ready after {time.monotonic() - begun:.1f} s", file=show, flush=True)
