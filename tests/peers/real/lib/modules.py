"""Files that projects publish in their Go modules, at the versions of a go.mod in go/. Nothing of them is compiled."""
import json
import os
import subprocess
import sys

SKIPPED = 77
LIMIT = 600  # seconds for a download


def _go(folder, *arguments):
    try:
        done = subprocess.run(["go", *arguments], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    except FileNotFoundError:
        print("what Go modules have is not to be had: there is no go on this machine")
        sys.exit(SKIPPED)
    if "SECURITY ERROR" in done.stderr:
        raise AssertionError(done.stderr)
    if done.returncode != 0:
        print(f"what Go modules have is not to be had: {(done.stdout + done.stderr).strip()[:500]}")
        sys.exit(SKIPPED)
    return json.loads(done.stdout)


def folder(root, name, module):
    """The version and the folder of a module that go/NAME/go.mod names. Ends the program where it is not to be had."""
    home = os.path.join(root, "tests", "peers", "real", "go", name)
    versions = {one["Path"]: one["Version"] for one in _go(home, "mod", "edit", "-json")["Require"]}
    version = versions[module]
    return version, _go(home, "mod", "download", "-json", f"{module}@{version}")["Dir"]
