"""Chromium without a window, driven over its debugging protocol. The standard library alone.

    with Chromium() as browser:
        browser.open(address, width=1440, dark=True)
        browser.evaluate("document.title")
        browser.screenshot("page.png")
"""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--no-default-browser-check", "--hide-scrollbars",
         "--remote-debugging-port=0", "--force-device-scale-factor=1"]


def find():
    return shutil.which("chromium")


class WebSocket:
    """As much of RFC 6455 as the protocol needs."""

    def __init__(self, address):
        host, port = address.split("/")[2].split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(("GET /%s HTTP/1.1\r\nHost: %s:%s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n"
                             % (address.split("/", 3)[3], host, port, key)).encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else \
            struct.pack("!BH", 0x80 | 126, len(data)) if len(data) < 65536 else \
            struct.pack("!BQ", 0x80 | 127, len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(data)))

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            assert piece, "the browser is gone"
            data += piece
        return data

    def receive(self):
        text = b""
        while True:
            first, size = self.exactly(2)
            size &= 127
            if size == 126:
                size = struct.unpack("!H", self.exactly(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.exactly(8))[0]
            text += self.exactly(size)
            if first & 0x80:
                return text.decode()


class Navigated(Exception):
    """The page that was asked is gone: another one takes its place."""


class Chromium:
    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.errors = []
        self.number = 0

    def __enter__(self):
        self.process = subprocess.Popen([find(), *FLAGS, "--user-data-dir=" + self.folder, "about:blank"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.folder + "/DevToolsActivePort"
        end = time.monotonic() + 60
        while not os.path.exists(port) or not open(port).read().strip():
            assert time.monotonic() < end, "the browser does not come up"
            time.sleep(0.05)
        address = "http://127.0.0.1:%s/json" % open(port).read().split()[0]
        self.socket = None
        while not self.socket:
            with urllib.request.urlopen(address) as answer:
                for target in json.load(answer):
                    if target["type"] == "page":
                        self.socket = WebSocket(target["webSocketDebuggerUrl"])
        for domain in "Page", "Runtime", "Log":
            self.call(domain + ".enable")
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def note(self, event):
        """Errors of the console are what a test fails for."""
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(event["params"]["exceptionDetails"])[:300])
        entry = event.get("params", {}).get("entry", {})
        if event.get("method") == "Log.entryAdded" and entry.get("level") == "error":
            self.errors.append(entry["text"] + " " + entry.get("url", ""))

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.number:
                message = answer.get("error", {}).get("message", "")
                if "navigated" in message or "context" in message:
                    raise Navigated(message)
                assert "error" not in answer, answer
                return answer.get("result", {})
            self.note(answer)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def resize(self, width, height=900, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)

    def darken(self, is_dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, address, width=1440, height=900, dark=False):
        self.resize(width, height)
        self.darken(dark)
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def holds(self, expression):
        """Whether it is true of the page as it is; a page that comes just now says no."""
        try:
            return self.evaluate(expression)
        except Navigated:
            return False

    def until(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while not self.holds(expression):
            assert time.monotonic() < end, "in vain: " + expression
            time.sleep(0.05)

    def leave(self, expression):
        """Does what leads to another page, after the answer: the page that answers is still this one."""
        self.evaluate("setTimeout(() => { %s }, 0); 1" % expression)

    def key(self, key, **more):
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
