"""`corset apiserver` as a process of its own, and a client by the kubeconfig it writes."""
import base64
import json
import os
import subprocess

from lib.kube import Server, until
from lib.plane import die_with_parent


class Below(Server):
    """A server whose API begins below a path, as that of a virtual cluster does."""

    def request(self, method, path, *arguments, **more):
        return super().request(method, self.url[self.url.index("/", len("https://")):] + path, *arguments, **more)


def server_of(kubectl, config, folder):
    """A client by a kubeconfig."""
    shown = json.loads(subprocess.run([kubectl, "--kubeconfig", config, "config", "view", "--raw", "--minify", "-o",
                                       "json"], capture_output=True, text=True, check=True).stdout)
    cluster, user = shown["clusters"][0]["cluster"], shown["users"][0]["user"]
    paths = {}
    for name, data in (("authority", cluster["certificate-authority-data"]),
                       ("certificate", user.get("client-certificate-data")), ("key", user.get("client-key-data"))):
        if data:
            paths[name] = os.path.join(folder, f"{os.path.basename(config)}.{name}")
            with open(paths[name], "wb") as file:
                file.write(base64.b64decode(data))
    kind = Below if cluster["server"].count("/") > 2 else Server
    return kind(cluster["server"], token=user.get("token"), **paths)


def start(corset, folder, *flags):
    """Starts a server with these flags, and its log in the folder. Gives the process and the administrator's kubeconfig."""
    config = os.path.join(folder, "kubeconfig")
    if os.path.exists(config):
        os.remove(config)
    with open(os.path.join(folder, "server.log"), "wb") as log:
        process = subprocess.Popen([corset, "apiserver", "--in-memory", "--listen", "127.0.0.1:0", "--write-kubeconfig",
                                    config, *flags], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                   preexec_fn=die_with_parent)
    until("the server has written its kubeconfig", lambda: os.path.exists(config))
    return process, config
