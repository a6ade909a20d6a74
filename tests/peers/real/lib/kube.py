"""A client of a Kubernetes API server, as small as the scenarios need it: JSON over TLS."""
import base64
import http.client
import json
import ssl
import threading
import time
import urllib.parse

MERGE = "application/merge-patch+json"
BUSY_TRIES = 30  # of a server that says 429, a second apart: it has just begun, or has much to do

# Where the collections of a kind are: the root, the plural, whether they are in namespaces.
KINDS = {
    "Namespace": ("/api/v1", "namespaces", False),
    "Node": ("/api/v1", "nodes", False),
    "ConfigMap": ("/api/v1", "configmaps", True),
    "Secret": ("/api/v1", "secrets", True),
    "Service": ("/api/v1", "services", True),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
    "Event": ("/api/v1", "events", True),
    "Deployment": ("/apis/apps/v1", "deployments", True),
    "DaemonSet": ("/apis/apps/v1", "daemonsets", True),
    "Lease": ("/apis/coordination.k8s.io/v1", "leases", True),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
    "APIService": ("/apis/apiregistration.k8s.io/v1", "apiservices", False),
    "CustomResourceDefinition": ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", False),
    "Web": ("/apis/example.corset.dev/v1", "webs", True),
    "Cluster": ("/apis/cluster.x-k8s.io/v1beta2", "clusters", True),
    "ClusterResourceSet": ("/apis/addons.cluster.x-k8s.io/v1beta2", "clusterresourcesets", True),
    "ClusterResourceSetBinding": ("/apis/addons.cluster.x-k8s.io/v1beta2", "clusterresourcesetbindings", True),
}


class ApiError(Exception):
    """An answer that is not a success."""

    def __init__(self, status, body, what):
        message = body.get("message", "") if isinstance(body, dict) else str(body)
        super().__init__(f"{what}: {status} {message}")
        self.status = status
        self.body = body
        self.message = message


def path_of(kind, namespace=None, name=None, subresource=None):
    root, plural, namespaced = KINDS[kind]
    parts = [root]
    if namespaced and namespace:
        parts += ["namespaces", namespace]
    parts.append(plural)
    if name:
        parts.append(urllib.parse.quote(name))
    if subresource:
        parts.append(subresource)
    return "/".join(parts)


class Server:
    """One API server as one user; the connection is opened when needed and kept per thread."""

    def __init__(self, url, authority, certificate=None, key=None, token=None):
        address = urllib.parse.urlparse(url)
        self.url, self.host, self.port = url, address.hostname, address.port
        self.authority, self.certificate, self.key, self.token = authority, certificate, key, token
        self._tls = ssl.create_default_context(cafile=authority)
        if certificate:
            self._tls.load_cert_chain(certificate, key)
        self._kept = threading.local()

    def request(self, method, path, body=None, content_type="application/json", query=None, raw=False):
        """Returns status and body; a connection that was kept and has died is opened again once."""
        if query:
            path += "?" + urllib.parse.urlencode(query)
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        headers = {"Accept": "application/json", "User-Agent": "scenario"}
        if raw:
            headers["Accept"] = "*/*"
        if data is not None:
            headers["Content-Type"] = content_type
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        for attempt in range(2):
            kept = getattr(self._kept, "connection", None)
            connection = kept or http.client.HTTPSConnection(self.host, self.port, timeout=40, context=self._tls)
            self._kept.connection = connection
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                self._kept.connection = None
                if kept is None or attempt == 1:
                    raise
        if raw:
            return answer.status, text.decode()
        if not answer.headers.get("Content-Type", "").startswith("application/json"):
            return answer.status, {"message": text.decode()}
        return answer.status, json.loads(text)

    def ask(self, method, path, body=None, **more):
        status, answer = self.request(method, path, body, **more)
        for _ in range(BUSY_TRIES):
            if status != 429:
                break
            time.sleep(1)
            status, answer = self.request(method, path, body, **more)
        if status >= 300:
            raise ApiError(status, answer, f"{method} {path}")
        return answer

    def get(self, kind, namespace, name):
        """The object, or None if there is none."""
        try:
            return self.ask("GET", path_of(kind, namespace, name))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind, namespace=None):
        return self.ask("GET", path_of(kind, namespace))["items"]

    def create(self, thing, **more):
        return self.ask("POST", path_of(thing["kind"], thing["metadata"].get("namespace")), thing, **more)

    def replace(self, thing, subresource=None):
        meta = thing["metadata"]
        return self.ask("PUT", path_of(thing["kind"], meta.get("namespace"), meta["name"], subresource), thing)

    def patch(self, kind, namespace, name, patch, subresource=None, content_type=MERGE, query=None):
        return self.ask("PATCH", path_of(kind, namespace, name, subresource), patch,
                        content_type=content_type, query=query)

    def delete(self, kind, namespace, name):
        try:
            return self.ask("DELETE", path_of(kind, namespace, name))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def put_in(self, thing):
        """Creates it; what is there already stays."""
        try:
            return self.create(thing)
        except ApiError as error:
            if error.status != 409:
                raise
            return None

    def ready(self):
        try:
            return self.request("GET", "/readyz", raw=True)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def secured(self, connection):
        """A connection to it, with TLS and this user's certificate from now on."""
        connection.settimeout(600)
        return self._tls.wrap_socket(connection, server_hostname=self.host)

    def kubeconfig(self, url=None):
        """A kubeconfig with everything inside; `url` to go through a proxy."""
        user = {"token": self.token} if self.token else {
            "client-certificate-data": _encoded(self.certificate), "client-key-data": _encoded(self.key)}
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": url or self.url,
                                                    "certificate-authority-data": _encoded(self.authority)}}],
            "users": [{"name": "it", "user": user}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]})


def _encoded(path):
    with open(path, "rb") as file:
        return base64.b64encode(file.read()).decode()


def until(what, check, timeout=60.0, pause=0.1):
    """Repeats the check until it returns something true, which is returned."""
    end = time.monotonic() + timeout
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout:g} s: {what}")
        time.sleep(pause)
