// Projects whose CustomResourceDefinitions and samples `make conformance` loads: each version is pinned here, and the
// files are read from the module. Nothing is compiled, and what these modules need themselves is not fetched.
module corset.test/definitions

go 1.26.0

require (
	github.com/argoproj/argo-cd/v3 v3.5.6
	github.com/cert-manager/cert-manager v1.21.2
	github.com/cilium/cilium v1.20.2
	github.com/crossplane/crossplane/v2 v2.1.0
	github.com/fluxcd/helm-controller v1.4.0
	github.com/fluxcd/kustomize-controller v1.6.0
	github.com/fluxcd/notification-controller v1.6.0
	github.com/fluxcd/source-controller v1.7.0
	github.com/projectcalico/calico v1.11.0-cni-plugin.0.20250813170300-a0db560f0520
	github.com/prometheus-operator/prometheus-operator v0.85.0
	istio.io/istio v0.0.0-20260827124520-eed52ebb66ad
	sigs.k8s.io/cluster-api v1.14.2
	sigs.k8s.io/gateway-api v1.3.0
)
