"""Real add-ons: what projects publish in their Go modules, read from there at the versions of go/addons/go.mod."""
import glob
import os
import subprocess

from lib import modules


class AddOn:
    """`files` are patterns, and folders (with a slash) that kubectl makes manifests of.

    `change` is a text of the manifests that stands for one value, and what becomes of its first occurrence.
    """

    def __init__(self, name, module, files, change, namespace=None, makes_namespace=False):
        self.name, self.module, self.files, self.change = name, module, files, change
        self.namespace = namespace  # of objects that need one and have none
        self.makes_namespace = makes_namespace  # the manifests leave it to the reader
        self.version, self.text = None, None

    def read(self, version, folder, kubectl):
        parts = [] if not self.makes_namespace else [
            f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {self.namespace}\n"]
        for pattern in self.files:
            if pattern.endswith("/"):
                parts.append(_kustomize(kubectl, os.path.join(folder, pattern)))
                continue
            found = sorted(glob.glob(os.path.join(folder, pattern)))
            if not found:
                raise AssertionError(f"{self.module} {version} has no {pattern}")
            for path in found:
                with open(path, encoding="utf-8") as file:
                    parts.append(file.read())
        self.version, self.text = version, "\n---\n".join(parts)
        if self.change[0] not in self.text:
            raise AssertionError(f"{self.module} {version} has no {self.change[0]!r}")

    def changed(self):
        return self.text.replace(*self.change, 1)


ALL = (
    AddOn("argo-cd", "github.com/argoproj/argo-cd/v3", ("manifests/install.yaml",),
          ("dexidp/dex:v2.45.1", "dexidp/dex:v2.45.2"), "argocd", True),
    AddOn("calico", "github.com/projectcalico/calico", ("manifests/calico.yaml",),
          ("calico/node:v3.28.5", "calico/node:v3.28.6")),
    AddOn("cert-manager", "github.com/cert-manager/cert-manager",
          ("deploy/manifests/01-namespace.yaml", "deploy/crds/*.yaml"),
          ("kubebuilder.io/version: v0.21.0", "kubebuilder.io/version: v0.21.1")),
    AddOn("cilium", "github.com/cilium/cilium",
          ("pkg/k8s/apis/cilium.io/client/crds/*/*.yaml", "examples/kubernetes/addons/prometheus/monitoring-example.yaml",
           "examples/kubernetes/connectivity-check/connectivity-check.yaml"),
          ("json-mock:v1.4.1@", "json-mock:v1.4.2@"), "default"),
    AddOn("cluster-api", "sigs.k8s.io/cluster-api",
          ("core/config/crd/bases/*.yaml", "core/config/rbac/", "core/config/manager/manager.yaml"),
          ("image: controller:latest", "image: controller:next"), "system", True),
    AddOn("flux", "github.com/fluxcd/flux2/v2",
          ("manifests/install/namespace.yaml", "manifests/bases/*/account.yaml", "manifests/rbac/",
           "manifests/policies/"),
          ('pods: "1000"', 'pods: "900"'), "flux-system"),
    AddOn("gateway-api", "sigs.k8s.io/gateway-api", ("config/crd/standard/gateway*.yaml",),
          ("bundle-version: v1.3.0", "bundle-version: v1.3.1")),
    AddOn("ingress-nginx", "k8s.io/ingress-nginx", ("deploy/static/provider/cloud/deploy.yaml",),
          ("ingress-nginx/controller:v1.11.0@", "ingress-nginx/controller:v1.11.1@")),
    AddOn("istio", "istio.io/istio",
          ("manifests/charts/base/files/crd-all.gen.yaml", "samples/addons/[gjkl]*.yaml",  # prometheus is cilium's, too
           "samples/bookinfo/platform/kube/bookinfo.yaml"),
          ("grafana/grafana:12.0.1", "grafana/grafana:12.0.2"), "istio-system", True),
    AddOn("local-path", "github.com/rancher/local-path-provisioner", ("deploy/local-path-storage.yaml",),
          ("local-path-provisioner:v0.0.30", "local-path-provisioner:v0.0.31")),
    AddOn("metrics-server", "sigs.k8s.io/metrics-server", ("manifests/base/",),
          ("metrics-server:master", "metrics-server:v0.9.0"), "kube-system"),
    AddOn("prometheus-operator", "github.com/prometheus-operator/prometheus-operator", ("bundle.yaml",),
          ("prometheus-operator/prometheus-operator:v0.85.0", "prometheus-operator/prometheus-operator:v0.85.1")),
)


def _kustomize(kubectl, folder):
    done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"kubectl kustomize {folder}: {done.stderr.strip()}")
    return done.stdout


def read_all(root, kubectl):
    """All of them with their manifests. Ends the scenario where go or a module is not to be had."""
    for addon in ALL:
        version, folder = modules.folder(root, "addons", addon.module)
        addon.read(version, folder, kubectl)
    return ALL
