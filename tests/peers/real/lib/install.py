"""Prepares the planes: our kinds, our account with the rights that deploy/ gives it."""
import os
import subprocess

from lib.kube import Server, until

OVERLAY = "deploy/kustomize/overlays/with-crds"


def server_of(described):
    return Server(described["url"], described["authority"], *described["admin"])


def admin_kubeconfig(options, plane="management"):
    """The path of an administrator's kubeconfig."""
    from lib import supervisor
    described = supervisor.read_state(options.folder)["planes"][plane]
    path = os.path.join(options.folder, f"{plane}.kubeconfig")
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="utf-8") as file:
        file.write(server_of(described).kubeconfig())
    os.chmod(new, 0o600)
    os.replace(new, path)  # others read it meanwhile
    return path


def kubectl(root, assets):
    """The one that was built, or Debian's."""
    found = [path for path in (os.path.join(assets, "kubectl"), os.path.join(root, "build/tools/kubectl-1.32"))
             if os.path.exists(path)]
    if not found:
        raise SystemExit("there is no kubectl; tools/kubectl fetches Debian's")
    return found[0]


def install(root, options, state):
    """What `kubectl apply -k` of the shipped overlay makes, as a user would do it."""
    management = server_of(state["planes"]["management"])
    done = subprocess.run([kubectl(root, options.assets), "--kubeconfig", admin_kubeconfig(options), "apply",
                           "--server-side", "-k", os.path.join(root, OVERLAY)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"kubectl apply -k {OVERLAY}: {done.stderr}")
    until("the kinds are served", lambda: _served(management), 60)


def _served(management):
    return all(management.request("GET", path)[0] == 200 for path in (
        "/apis/cluster.x-k8s.io/v1beta2/clusters", "/apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesets",
        "/apis/addons.cluster.x-k8s.io/v1beta2/clusterresourcesetbindings",
        "/apis/addons.cluster.x-k8s.io/v1beta1/clusterresourcesets"))
