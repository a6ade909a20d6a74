"""The process that owns the three control planes while scenarios, processes of their own, use them.

`begin()` starts it in the background and returns when the planes are ready; `end()` stops it. It also ends
by itself when the program it was started for (ctest) is gone, and after a limit of time. Scenarios ask it
to stop and start programs, because what it started dies with it.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from lib.plane import Plane, start_all

PLANES = (("management", True), ("blue", False), ("green", False))
LIFE_LIMIT = 3 * 3600  # seconds


def state_path(folder):
    return os.path.join(folder, "state.json")


def socket_path(folder):
    return os.path.join(folder, "control.sock")


def read_state(folder):
    with open(state_path(folder), encoding="utf-8") as file:
        return json.load(file)


def begin(folder, assets, prepare):
    """Starts the planes below the folder and runs `prepare(state)` on them; returns the state."""
    os.makedirs(folder, exist_ok=True)
    log_path = os.path.join(folder, "supervisor.log")
    with open(log_path, "wb") as log:
        process = subprocess.Popen([sys.executable, sys.argv[0], "supervise", "--folder", folder, "--assets", assets,
                                    "--for", str(_owner())], stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, start_new_session=True)
    while not os.path.exists(state_path(folder)):
        if process.poll() is not None:
            with open(log_path, encoding="utf-8") as file:
                raise SystemExit(f"the control planes did not start:\n{file.read()}")
        time.sleep(0.2)
    with open(log_path, encoding="utf-8") as file:
        print(file.read(), end="")
    state = read_state(folder)
    try:
        prepare(state)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return state


def _owner():
    """ctest, if that is who wants the planes; whoever starts them by hand stops them by hand."""
    with open(f"/proc/{os.getppid()}/comm", encoding="utf-8") as file:
        return os.getppid() if file.read().strip() == "ctest" else 1


def end(folder):
    """Stops the planes; quiet if there are none."""
    try:
        pid = read_state(folder)["supervisor"]
    except (OSError, ValueError):
        return
    try:
        os.kill(pid, signal.SIGTERM)
        for _ in range(600):
            os.kill(pid, 0)
            time.sleep(0.1)
    except ProcessLookupError:
        pass


def ask(folder, do, plane, program):
    """Has the supervisor do something: `stop`, `start` or `restart` of a plane's program."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(300)
        connection.connect(socket_path(folder))
        connection.sendall(json.dumps({"do": do, "plane": plane, "program": program}).encode() + b"\n")
        answer = json.loads(connection.makefile().readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])


def supervise(folder, assets, owner):
    """The supervisor's own life."""
    for left in (state_path(folder), socket_path(folder), os.path.join(folder, "facts")):
        if os.path.exists(left):
            os.unlink(left)
    for name, _ in PLANES:  # what an earlier run left
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    signal.signal(signal.SIGTERM, _leave)
    planes = {name: Plane(folder, name, assets, controllers) for name, controllers in PLANES}
    try:
        start_all(planes.values())
        control = socket.socket(socket.AF_UNIX)
        control.bind(socket_path(folder))
        control.listen()
        control.settimeout(1)
        _write_state(folder, planes)
        _serve(folder, planes, control, owner)
    finally:
        for plane in planes.values():
            plane.stop()
        if os.path.exists(state_path(folder)):
            os.unlink(state_path(folder))


def _leave(*_):
    raise SystemExit(0)


def _write_state(folder, planes):
    state = {"supervisor": os.getpid(), "folder": folder,
             "planes": {name: plane.describe() for name, plane in planes.items()}}
    with open(state_path(folder) + ".new", "w", encoding="utf-8") as file:
        json.dump(state, file, indent=1)
    os.rename(state_path(folder) + ".new", state_path(folder))


def _serve(folder, planes, control, owner):
    last = time.monotonic() + LIFE_LIMIT
    while time.monotonic() < last and _lives(owner):
        try:
            connection, _ = control.accept()
        except TimeoutError:
            continue
        with connection:
            try:
                _obey(planes, json.loads(connection.makefile().readline()))
                _write_state(folder, planes)
                answer = {}
            except Exception as error:  # the scenario shall know, whatever it is
                answer = {"error": f"{type(error).__name__}: {error}"}
            connection.sendall(json.dumps(answer).encode() + b"\n")


def _obey(planes, order):
    plane = planes[order["plane"]]
    if order["do"] in ("stop", "restart"):
        plane.stop_program(order["program"])
    if order["do"] in ("start", "restart"):
        plane.start_program(order["program"])
        plane.wait_ready()


def _lives(pid):
    """Process 1 stands for nobody in particular."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
