"""The list of scenarios. A scenario is a function of a Fixture; its name begins with what it shows."""
import importlib
import os

ALL = {}


class Scenario:
    def __init__(self, function, serial, timeout, needs):
        self.name, self.function = function.__name__, function
        self.serial = serial  # it disturbs the servers or works on all namespaces: nothing may run beside it
        self.timeout = timeout
        self.needs = needs  # programs that KUBEBUILDER_ASSETS may lack


def scenario(serial=False, timeout=240, needs=()):
    def note(function):
        if function.__name__ in ALL:
            raise ValueError(f"two scenarios named {function.__name__}")
        ALL[function.__name__] = Scenario(function, serial, timeout, needs)
        return function
    return note


def load(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            importlib.import_module(f"scenarios.{name[:-3]}")
    return ALL
