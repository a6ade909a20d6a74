"""A TCP proxy with faults between a controller and a server: refuse, swallow, slow down, cut."""
import re
import select
import socket
import ssl
import threading
import time


class Proxy:
    """Passes bytes on to host:port until told otherwise; `url` is where it listens."""

    PASS, REFUSE, SWALLOW = "pass", "refuse", "swallow"

    def __init__(self, port):
        self.target = port
        self.mode = Proxy.PASS
        self.delay = 0.0  # seconds before a piece is passed on, each way
        self.piece = 65536  # bytes passed on at once
        self.accepted = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        self._open = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def vanish(self):
        """Nobody listens any more: the kernel refuses connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def come_back(self):
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self):
        """Ends every connection there is."""
        with self._lock:
            pairs, self._open = self._open, set()
        for pair in pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def set_mode(self, mode):
        """The new mode also holds for connections that are open."""
        self.mode = mode
        if mode == Proxy.REFUSE:
            self.cut()

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.mode == Proxy.REFUSE:
                client.close()
                continue
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target), timeout=20)
        except OSError:
            client.close()
            return
        pair = (client, server)
        with self._lock:
            self._open.add(pair)
        try:
            self._pump(client, server)
        except OSError:
            pass
        finally:
            with self._lock:
                self._open.discard(pair)
            client.close()
            server.close()

    def _pump(self, client, server):
        for one in (client, server):
            one.settimeout(60)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = {client: server, server: client}
        while True:
            readable, _, _ = select.select([client, server], [], [], 0.2)
            for one in readable:
                data = one.recv(self.piece)
                if not data:
                    return
                while self.mode == Proxy.SWALLOW:  # held back, not lost: TCP loses nothing
                    time.sleep(0.05)
                if self.delay:
                    time.sleep(self.delay)
                peer[one].sendall(data)


class ShortWatches(Proxy):
    """Asks for every watch to end after some seconds, so that the server itself ends it as it should.

    It is spoken to without TLS and shows the server a certificate of its own.
    """

    def __init__(self, server, seconds):
        self._server, self._seconds = server, seconds
        super().__init__(server.port)
        self.url = f"http://127.0.0.1:{self.port}"

    def _pump(self, client, server):
        """One thread for both ways: two may not use a connection with TLS at the same time."""
        secured = self._server.secured(server)
        while True:
            ready = [secured] if secured.pending() else select.select([client, secured], [], [], 600)[0]
            for one in ready:
                data = self._take(one, secured)
                if data is None:
                    continue
                if not data:
                    return
                if one is client:
                    secured.sendall(re.sub(rb"timeoutSeconds=\d+", b"timeoutSeconds=%d" % self._seconds, data))
                else:
                    client.sendall(data)

    def _take(self, one, secured):
        """What has arrived; None when it was a record of TLS alone."""
        one.settimeout(0 if one is secured else 600)
        try:
            return one.recv(self.piece)
        except ssl.SSLWantReadError:
            return None
        finally:
            one.settimeout(600)
