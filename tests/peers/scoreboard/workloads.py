"""Workload clusters: virtual ones of `corset apiserver`, 20 ms away, in as many processes as descriptors ask for."""
import base64
import os
import re
import shutil
import subprocess

from lib.kube import Server, until
from lib.plane import die_with_parent

LATENCY = "latency=20ms"
EACH = 2500  # clusters of one process


class Workloads:
    """Numbered from 0; `stop()` ends the processes."""

    def __init__(self, corset, folder, count, faults=LATENCY):
        shutil.rmtree(folder, ignore_errors=True)
        self.processes, self.folders, self.admins = [], [], {}
        for first in range(0, count, EACH):
            part = os.path.join(folder, str(first // EACH))
            os.makedirs(part)
            with open(os.path.join(part, "log"), "wb") as log:
                self.processes.append(subprocess.Popen(
                    [corset, "apiserver", "--in-memory", "--listen", "127.0.0.1:0", "--virtual-clusters",
                     str(min(EACH, count - first)), "--write-kubeconfig", os.path.join(part, "admin"),
                     "--write-cluster-kubeconfigs", part, "--inject", faults],
                    stdout=log, stderr=log, preexec_fn=die_with_parent))
            self.folders.append(part)
        for part in self.folders:
            until("virtual clusters are ready", lambda: "ready on" in _read(os.path.join(part, "log")), 120)

    def kubeconfig(self, index):
        """With an authority text of its own for each cluster: a Go client shares one connection between servers whose
        address and authority are the same texts, and separate clusters never have that."""
        text = _read(os.path.join(self.folders[index // EACH], f"vc-{index % EACH + 1:04d}.kubeconfig"))
        found = re.search(r"certificate-authority-data: (\S+)", text).group(1)
        own = base64.b64decode(found) + f"# cluster {index}\n".encode()
        return text.replace(found, base64.b64encode(own).decode())

    def port(self, index):
        return int(re.search(r"https://127\.0\.0\.1:(\d+)/", self.kubeconfig(index)).group(1))

    def folder_of(self, index):
        """Of the process that plays it; the authority of its server is there."""
        part = self.folders[index // EACH]
        self._admin_of(part)
        return part

    def fail(self, index, faults):
        """From now on the cluster misbehaves, in the words of `corset apiserver --inject`."""
        self._inject(index, "PUT", faults.encode())

    def heal(self, index):
        self._inject(index, "DELETE", None)

    def kill(self, index):
        """From now on the cluster takes requests and never answers one."""
        self.fail(index, "hole=1")

    def ask(self, index, method, path):
        """Status and answer of a request to the cluster as its administrator."""
        text = self.kubeconfig(index)
        url, token = (re.search(rf'{field}: "([^"]+)"', text).group(1) for field in ("server", "token"))
        server = Server(url, os.path.join(self.folder_of(index), "certificate-authority.pem"), token=token)
        return server.request(method, url[url.index("/clusters/"):] + path)

    def cpu(self):
        return sum(cpu_of(one.pid) for one in self.processes)

    def stop(self):
        for one in self.processes:
            one.kill()
            one.wait()

    def _inject(self, index, method, faults):
        name = f"vc-{index % EACH + 1:04d}"
        self._admin_of(self.folders[index // EACH]).ask(method, f"/debug/inject?cluster={name}", faults,
                                                        content_type="text/plain")

    def _admin_of(self, part):
        if part not in self.admins:
            self.admins[part] = admin_of(part)
        return self.admins[part]


def admin_of(part):
    """A client from the kubeconfig of the administrator."""
    text = _read(os.path.join(part, "admin"))
    paths = []
    for field in ("certificate-authority", "client-certificate", "client-key"):
        path = os.path.join(part, f"{field}.pem")
        with open(path, "wb") as file:
            file.write(base64.b64decode(re.search(rf"{field}-data: (\S+)", text).group(1)))
        paths.append(path)
    return Server(re.search(r'server: "([^"]+)"', text).group(1), *paths)


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def cpu_of(pid):
    """Seconds of processor time that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid):
    """Bytes of memory that a process has, and the most it had."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        found = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB", file.read(), flags=re.M))
    return int(found["VmRSS"]) * 1024, int(found["VmHWM"]) * 1024
