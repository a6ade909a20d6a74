"""A program of ours in a scenario: what a controller and a driver have in common."""
import os
import subprocess

SANITIZERS = ("ERROR: AddressSanitizer", "runtime error:", "LeakSanitizer")


class Process:
    """Has a name, a log and a kubeconfig; `process` is set by who starts it."""

    def __init__(self, folder, name, kubeconfig):
        self.name = name
        self.process = None
        self.log_path = os.path.join(folder, f"{name}.log")
        self.config = os.path.join(folder, f"{name}.kubeconfig")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(kubeconfig)
        os.chmod(self.config, 0o600)

    def wait_end(self):
        """Its exit code, once it has been told to end."""
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} did not end within 30 s") from None

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def complaints(self):
        """What a sanitizer said, if the program was built with one."""
        return [line for line in self.log().splitlines() if any(text in line for text in SANITIZERS)]
