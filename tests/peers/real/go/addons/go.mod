// Real add-ons, whose published manifests `make conformance` applies: each version is pinned here, and the files
// are read from the module. Nothing is compiled, and what these modules need themselves is not fetched.
module corset.test/addons

go 1.26.0

require (
	github.com/argoproj/argo-cd/v3 v3.5.6
	github.com/cert-manager/cert-manager v1.21.2
	github.com/cilium/cilium v1.20.2
	github.com/fluxcd/flux2/v2 v2.9.5
	github.com/projectcalico/calico v1.11.0-cni-plugin.0.20250813170300-a0db560f0520
	github.com/prometheus-operator/prometheus-operator v0.85.0
	github.com/rancher/local-path-provisioner v0.0.30
	istio.io/istio v0.0.0-20260827124520-eed52ebb66ad
	k8s.io/ingress-nginx v0.0.0-20240708192948-52c50467d67d
	sigs.k8s.io/cluster-api v1.14.2
	sigs.k8s.io/gateway-api v1.3.0
	sigs.k8s.io/metrics-server v0.9.0
)
