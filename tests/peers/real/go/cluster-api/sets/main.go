// Cluster API's ClusterResourceSet controllers and its ClusterCache alone, set up as its manager sets them up, without
// the manager's other controllers and webhooks: what `make scoreboard` compares memory with. tools/cluster-api builds it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	addonsv1 "sigs.k8s.io/cluster-api/api/addons/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/controllers/remote"
	"sigs.k8s.io/cluster-api/core/reconcilers/clusterresourceset"
	"sigs.k8s.io/cluster-api/core/reconcilers/clusterresourcesetbinding"
	"sigs.k8s.io/cluster-api/core/setup"
)

// The manager's name and its defaults, from its core/main.go.
const (
	name                          = "cluster-api-controller-manager"
	managementQPS                 = 100
	managementBurst               = 200
	clusterCacheConcurrency       = 100
	clusterCacheQPS               = 20
	clusterCacheBurst             = 30
	clusterResourceSetConcurrency = 10
	syncPeriod                    = 10 * time.Minute
)

func concurrency(count int) controller.Options {
	return controller.Options{MaxConcurrentReconciles: count}
}

// secretMetadata is the manager's cache of Secrets that sets name: their metadata only.
func secretMetadata(manager ctrl.Manager) (ctrlcache.Cache, error) {
	period := syncPeriod
	cache, err := ctrlcache.New(manager.GetConfig(), ctrlcache.Options{
		Scheme:     manager.GetScheme(),
		Mapper:     manager.GetRESTMapper(),
		HTTPClient: manager.GetHTTPClient(),
		SyncPeriod: &period,
		DefaultTransform: func(in any) (any, error) {
			if _, ok := in.(*metav1.PartialObjectMetadata); !ok {
				return nil, fmt.Errorf("expected metadata, got %T", in)
			}
			return ctrlcache.TransformStripManagedFields()(in)
		},
	})
	if err != nil {
		return nil, err
	}
	return cache, manager.Add(cache)
}

func addControllers(ctx context.Context, manager ctrl.Manager) error {
	secrets, err := setup.CreateSecretCachingClient(manager)
	if err != nil {
		return err
	}
	clusters, err := clustercache.SetupWithManager(ctx, manager, clustercache.Options{
		SecretClient: secrets,
		Cache:        setup.ClusterCacheCacheOptions(),
		Client:       setup.ClusterCacheClientOptions(name, clusterCacheQPS, clusterCacheBurst),
	}, concurrency(clusterCacheConcurrency))
	if err != nil {
		return err
	}
	metadata, err := secretMetadata(manager)
	if err != nil {
		return err
	}
	sets := &clusterresourceset.Reconciler{Client: manager.GetClient(), ClusterCache: clusters}
	if err := sets.SetupWithManager(ctx, manager, concurrency(clusterResourceSetConcurrency), metadata); err != nil {
		return err
	}
	bindings := &clusterresourcesetbinding.Reconciler{Client: manager.GetClient()}
	return bindings.SetupWithManager(ctx, manager, concurrency(clusterResourceSetConcurrency))
}

func run(health, diagnostics string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, clusterv1.AddToScheme, addonsv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = managementQPS, managementBurst
	config.UserAgent = remote.DefaultClusterAPIUserAgent(name)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		HealthProbeBindAddress: health,
		Metrics:                server.Options{BindAddress: diagnostics},
		Cache:                  setup.ManagerCacheOptions(scheme, name, "", syncPeriod),
		Client:                 setup.ManagerClientOptions(),
	})
	if err != nil {
		return err
	}
	if err := manager.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if err := addControllers(ctx, manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func main() {
	health := flag.String("health-addr", "", "where to answer /readyz")
	diagnostics := flag.String("diagnostics-address", "", "where to serve /metrics, over plain HTTP")
	klog.InitFlags(nil)
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	if err := run(*health, *diagnostics); err != nil {
		fmt.Fprintln(os.Stderr, "sets:", err)
		os.Exit(1)
	}
}
