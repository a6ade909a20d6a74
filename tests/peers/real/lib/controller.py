"""A `corset controller` of a scenario: its process, its log, its metrics."""
import re
import signal
import subprocess
import urllib.error
import urllib.request

from lib.kube import until
from lib.plane import die_with_parent, free_ports
from lib.process import Process


class Controller(Process):
    """Runs until `stop()`; the flags are those of the command line."""

    def __init__(self, program, folder, name, kubeconfig, *flags):
        super().__init__(folder, name, kubeconfig)
        self.health, self.diagnostics = free_ports(2)
        self.command = [program, "controller", "--kubeconfig", self.config, "--v", "6",
                        f"--health-addr=127.0.0.1:{self.health}",
                        f"--diagnostics-address=127.0.0.1:{self.diagnostics}", *flags]
        if not any(flag.startswith("--secure") for flag in flags):
            self.command.append("--insecure-diagnostics")
        else:
            self.command.remove("--secure")
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            preexec_fn=die_with_parent)

    def healthy(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} ended with {self.process.returncode}; see {self.log_path}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def wait_ready(self, timeout=30):
        until(f"{self.name} is ready", self.healthy, timeout)

    def stop(self, how=signal.SIGTERM):
        """Ends it and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        return self.wait_end()

    def metrics(self):
        """{'name{labels}': value}"""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.diagnostics}/metrics", timeout=10) as answer:
            return parse_metrics(answer.read().decode())

    def metric(self, name, **labels):
        """The sum over all series of that name with these labels; None if there is none."""
        return metric_sum(self.metrics(), name, **labels)


def parse_metrics(text):
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            series, _, value = line.rpartition(" ")
            found[series] = float(value)
    return found


def metric_sum(metrics, name, **labels):
    values = [value for series, value in metrics.items() if series.partition("{")[0] == name and all(
        re.search(rf'[{{,]{label}="{re.escape(wanted)}"', series) for label, wanted in labels.items())]
    return sum(values) if values else None
