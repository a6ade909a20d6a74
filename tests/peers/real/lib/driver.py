"""A driver: a process with a ClusterCache in it that does what it is told, see driver/driver.h."""
import json
import os
import re
import subprocess

from lib.controller import parse_metrics
from lib.kube import until
from lib.plane import die_with_parent
from lib.process import Process


class Down(AssertionError):
    """An answer that is an error; `code` is its name."""

    def __init__(self, command, code, message):
        super().__init__(f"{command}: {code}: {message}")
        self.code, self.message = code, message


class Driver(Process):
    """Runs until `stop()`. Settings are those of the command line: probe="3s"."""

    def __init__(self, program, folder, name, kubeconfig, environment=None, **settings):
        super().__init__(folder, name, kubeconfig)
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [program, f"kubeconfig={self.config}", *(f"{key}={value}" for key, value in settings.items())],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, **(environment or {})}, preexec_fn=die_with_parent)
        line = self.process.stdout.readline().strip()
        if line != "ready":
            raise AssertionError(f"{name} did not begin: {line!r}; see {self.log_path}")

    def ask(self, *words):
        """What the answer holds; an error is raised."""
        command = " ".join(words)
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        how, _, rest = self.process.stdout.readline().rstrip("\n").partition(" ")
        if how != "ok":
            code, _, message = rest.partition(" ")
            raise Down(command, code, message)
        return rest

    def refusal(self, *words):
        """Code and message of what must fail."""
        try:
            answer = self.ask(*words)
        except Down as error:
            return f"{error.code}: {error.message}"
        raise AssertionError(f"{' '.join(words)} was answered: {answer}")

    def object(self, *words):
        return json.loads(self.ask(*words))

    def names(self, *words):
        return self.ask(*words).split()

    def numbers(self, *words):
        return [int(one) for one in self.ask(*words).split()]

    def is_connected(self, cluster="c1"):
        try:
            return bool(self.ask("client", cluster))
        except Down:
            return False

    def await_connected(self, cluster="c1", timeout=45):
        until(f"{cluster} is connected", lambda: self.is_connected(cluster), timeout)

    def metrics_text(self):
        return json.loads(self.ask("metrics"))

    def series(self):
        """Of the ClusterCache."""
        return {name: value for name, value in parse_metrics(self.metrics_text()).items()
                if name.startswith("capi_cluster_cache_")}

    def stop(self):
        """Ends it with its input and returns its exit code."""
        if self.process.poll() is None:
            self.process.stdin.close()
        return self.wait_end()

    def logged(self, pattern):
        """How many lines of its log hold this."""
        return len(re.findall(pattern, self.log()))
