"""A `corset controller` of a scenario: its process, its log, its metrics."""
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request

from lib.kube import until
from lib.plane import die_with_parent, free_ports

SANITIZERS = ("ERROR: AddressSanitizer", "runtime error:", "LeakSanitizer")


class Controller:
    """Runs until `stop()`; the flags are those of the command line."""

    def __init__(self, program, folder, name, kubeconfig, *flags):
        self.name = name
        self.log_path = os.path.join(folder, f"{name}.log")
        self.health, self.diagnostics = free_ports(2)
        config = os.path.join(folder, f"{name}.kubeconfig")
        with open(config, "w", encoding="utf-8") as file:
            file.write(kubeconfig)
        os.chmod(config, 0o600)
        self.command = [program, "controller", "--kubeconfig", config, "--v", "6",
                        f"--health-addr=127.0.0.1:{self.health}",
                        f"--diagnostics-address=127.0.0.1:{self.diagnostics}", *flags]
        if not any(flag.startswith("--secure") for flag in flags):
            self.command.append("--insecure-diagnostics")
        else:
            self.command.remove("--secure")
        self.process = None
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
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"{self.name} did not end within 30 s") from None
        return self.process.returncode

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def complaints(self):
        """What a sanitizer said, if the program was built with one."""
        return [line for line in self.log().splitlines() if any(text in line for text in SANITIZERS)]

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
