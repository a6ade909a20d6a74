// What a program with client-go does all day, its objects sent as protobuf: install a definition, create, read, list in
// pages, watch by an informer, patch in four ways, write the status, delete, and read errors as client-go's own. The
// server is that of $KUBECONFIG. Each event must come within a minute.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

const (
	limit     = time.Minute
	namespace = "default"
	protobuf  = "application/vnd.kubernetes.protobuf"
)

var wheels = schema.GroupVersionResource{Group: "go.example.com", Version: "v1", Resource: "wheels"}

// must ends the program at the first thing that is not as expected.
func must(err error, what string) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

func check(holds bool, format string, arguments ...any) {
	if !holds {
		must(fmt.Errorf(format, arguments...), "expected otherwise")
	}
}

func get[T any](value T, err error) T {
	must(err, fmt.Sprintf("%T", value))
	return value
}

func number(minimum float64) apiextensionsv1.JSONSchemaProps {
	return apiextensionsv1.JSONSchemaProps{Type: "integer", Minimum: &minimum}
}

func object(name string, property apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	return apiextensionsv1.JSONSchemaProps{
		Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{name: property}}
}

// define installs a definition, which the typed client sends as protobuf, and waits until it is served.
func define(ctx context.Context, client apiextensions.Interface) {
	root := object("spec", object("spokes", number(1)))
	root.Properties["status"] = object("turns", number(0))
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	made := get(definitions.Create(ctx, &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: wheels.GroupResource().String()},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: wheels.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: wheels.Resource, Kind: "Wheel"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: wheels.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}, metav1.CreateOptions{}))
	must(wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
		found, err := definitions.Get(ctx, made.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(found.Status.Conditions, func(one apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return one.Type == apiextensionsv1.Established && one.Status == apiextensionsv1.ConditionTrue
		}), nil
	}), "wait for Established")
	must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		found := get(definitions.Get(ctx, made.Name, metav1.GetOptions{}))
		found.Spec.Names.ShortNames = []string{"wh"}
		_, err := definitions.Update(ctx, found, metav1.UpdateOptions{})
		return err
	}), "update the definition")
	check(len(get(definitions.List(ctx, metav1.ListOptions{})).Items) > 0, "no definition is listed")
	fmt.Println("defined, by protobuf")
}

// watch has an informer that sees a ConfigMap come, change and go.
func watch(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	seen := make(chan string, 16)
	note := func(what string, object any) {
		if found, ok := object.(*corev1.ConfigMap); ok && found.Name == "client-go" {
			seen <- what + " " + found.Data["key"]
		}
	}
	get(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { note("added", object) },
		UpdateFunc: func(_, object any) { note("updated", object) },
		DeleteFunc: func(object any) { note("deleted", object) },
	}))
	expect := func(event string) {
		select {
		case found := <-seen:
			check(found == event, "event %q, saw %q", event, found)
			fmt.Println("informer:", event)
		case <-time.After(limit):
			check(false, "event %q, saw nothing", event)
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	maps := client.CoreV1().ConfigMaps(namespace)
	made := get(maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "client-go"}, Data: map[string]string{"key": "one"}}, metav1.CreateOptions{}))
	expect("added one")
	made.Data["key"] = "two"
	get(maps.Update(ctx, made, metav1.UpdateOptions{}))
	expect("updated two")
	_, err := maps.Update(ctx, made, metav1.UpdateOptions{})
	check(apierrors.IsConflict(err), "a conflict, saw %v", err)
	must(maps.Delete(ctx, "client-go", metav1.DeleteOptions{}), "delete")
	expect("deleted two")
}

// patch changes a built-in object in three ways, then applies.
func patch(ctx context.Context, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(namespace)
	options := metav1.ApplyOptions{FieldManager: "one"}
	get(maps.Apply(ctx, applycorev1.ConfigMap("applied-go", namespace).WithData(map[string]string{"a": "1"}), options))
	for kind, text := range map[types.PatchType]string{
		types.JSONPatchType:           `[{"op":"add","path":"/data/json","value":"1"}]`,
		types.MergePatchType:          `{"data":{"merge":"1"}}`,
		types.StrategicMergePatchType: `{"data":{"strategic":"1"}}`,
	} {
		get(maps.Patch(ctx, "applied-go", kind, []byte(text), metav1.PatchOptions{}))
	}
	found := get(maps.Get(ctx, "applied-go", metav1.GetOptions{}))
	check(len(found.Data) == 4, "four keys, saw %v", found.Data)
	_, err := maps.Apply(ctx, applycorev1.ConfigMap("applied-go", namespace).WithData(map[string]string{"a": "2"}),
		metav1.ApplyOptions{FieldManager: "two"})
	check(apierrors.IsConflict(err), "a conflict, saw %v", err)
	check(apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict), "the cause of the conflict, saw %v", err)
	options.FieldManager, options.Force = "two", true
	found = get(maps.Apply(ctx, applycorev1.ConfigMap("applied-go", namespace).WithData(map[string]string{"a": "2"}), options))
	check(found.Data["a"] == "2", "applied by force, saw %v", found.Data)
	must(maps.Delete(ctx, "applied-go", metav1.DeleteOptions{}), "delete")
	fmt.Println("patched and applied")
}

func wheel(name string, spokes int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": wheels.GroupVersion().String(), "kind": "Wheel", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"spokes": spokes}}}
}

// custom writes objects of the definition: in pages, by their status, and wrong ones.
func custom(ctx context.Context, client dynamic.Interface) {
	all := client.Resource(wheels).Namespace(namespace)
	for i := range 5 {
		get(all.Create(ctx, wheel(fmt.Sprintf("page-%d", i), 3), metav1.CreateOptions{}))
	}
	pages, count := 0, 0
	options := metav1.ListOptions{Limit: 2}
	for {
		page := get(all.List(ctx, options))
		pages, count = pages+1, count+len(page.Items)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			break
		}
	}
	check(pages == 3 && count == 5, "5 in 3 pages, saw %d in %d", count, pages)
	listed, _, err := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		return all.List(ctx, options)
	})).List(ctx, metav1.ListOptions{Limit: 2})
	must(err, "list by a pager")
	fmt.Printf("%d pages, and a pager's %T\n", pages, listed)

	found := get(all.Get(ctx, "page-0", metav1.GetOptions{}))
	must(unstructured.SetNestedField(found.Object, int64(9), "status", "turns"), "set the status")
	found = get(all.UpdateStatus(ctx, found, metav1.UpdateOptions{}))
	turns, _, _ := unstructured.NestedInt64(found.Object, "status", "turns")
	check(turns == 9, "9 turns, saw %d", turns)
	applied := get(all.Apply(ctx, "page-0", wheel("page-0", 4), metav1.ApplyOptions{FieldManager: "one", Force: true}))
	turns, _, _ = unstructured.NestedInt64(applied.Object, "status", "turns")
	check(turns == 9, "9 turns after apply, saw %d", turns)

	_, err = all.Get(ctx, "absent", metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "not found, saw %v", err)
	_, err = all.Create(ctx, wheel("page-0", 3), metav1.CreateOptions{})
	check(apierrors.IsAlreadyExists(err), "already exists, saw %v", err)
	_, err = all.Create(ctx, wheel("bad", 0), metav1.CreateOptions{})
	check(apierrors.IsInvalid(err), "invalid, saw %v", err)
	fmt.Println("errors:", err)
	must(all.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}), "delete all")
	check(len(get(all.List(ctx, metav1.ListOptions{})).Items) == 0, "none is left")
}

// status writes the status of a Deployment, typed and as protobuf.
func status(ctx context.Context, client kubernetes.Interface) {
	labels := map[string]string{"app": "client-go"}
	deployments := client.AppsV1().Deployments(namespace)
	made := get(deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "client-go"},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}},
	}, metav1.CreateOptions{}))
	made.Status.ObservedGeneration = made.Generation
	made = get(deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
	check(made.Status.ObservedGeneration == made.Generation, "the status is written")
	scale := get(deployments.GetScale(ctx, "client-go", metav1.GetOptions{}))
	scale.Spec.Replicas = 3
	get(deployments.UpdateScale(ctx, "client-go", scale, metav1.UpdateOptions{}))
	check(*get(deployments.Get(ctx, "client-go", metav1.GetOptions{})).Spec.Replicas == 3, "three replicas")
	must(deployments.Delete(ctx, "client-go", metav1.DeleteOptions{}), "delete")
	fmt.Println("status and scale, by protobuf")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 4*limit)
	defer cancel()
	config := get(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	typed := rest.CopyConfig(config)
	typed.ContentType, typed.AcceptContentTypes = protobuf, protobuf+",application/json"
	client := get(kubernetes.NewForConfig(typed))
	define(ctx, get(apiextensions.NewForConfig(typed)))
	watch(ctx, client)
	patch(ctx, client)
	status(ctx, client)
	custom(ctx, get(dynamic.NewForConfig(config)))
	fmt.Println("passed")
}
