/*
 * libcorset: Kubernetes controllers in C.
 *
 *     #include <corset/corset.h>
 *
 *     static struct corset_error *build(struct corset_run *run, struct corset_graph *graph)
 *     {
 *         const struct corset_object *owner = corset_run_owner(run);
 *         struct corset_object *config =
 *             corset_object_from_yaml(run, "apiVersion: v1\nkind: ConfigMap\n");
 *         corset_object_set_string(config, "metadata.name", corset_run_name(run, "config"));
 *         corset_object_copy(config, "data.message", owner, "spec.message");
 *         return corset_graph_add(graph, &(struct corset_node_options){.object = config}, NULL);
 *     }
 *
 *     static const struct corset_watch watches[] = {
 *         {.api_version = "v1", .kind = "ConfigMap"},
 *     };
 *     static const struct corset_controller note = {
 *         .name = "note", .api_version = "example.com/v1", .kind = "Note",
 *         .watches = watches, .watch_count = 1, .build = build,
 *     };
 *
 *     int main(int argc, char **argv)
 *     {
 *         const struct corset_controller *controllers[] = {&note};
 *         const struct corset_manager_options options = {
 *             .controllers = controllers, .controller_count = 1,
 *         };
 *         return corset_main(argc, argv, &options);
 *     }
 *
 * This is a complete controller. For every Note there is a ConfigMap, which is created, changed and
 * deleted with the Note, and the status of the Note reports the state. docs/guide.md leads from an
 * empty folder to a running controller; examples/web has one with a Deployment and a Service.
 *
 *     corset/error.h       errors, and whether trying again helps
 *     corset/object.h      Kubernetes objects: made of YAML, read and changed by path
 *     corset/controller.h  the controller: owner, watches, and the graph of wanted objects
 *     corset/client.h      requests to the API server, for custom nodes and on_delete
 *     corset/clusters.h    workload clusters: reads, writes and watches in all of them
 *     corset/manager.h     the process: kubeconfig, caches, leader election, probes, metrics
 *     corset/fake.h        a fake world for tests of controllers; this header does not include it
 *
 * Rules that hold everywhere:
 *
 * - Text is NUL-terminated UTF-8. Texts and objects that belong to a run live as long as the run:
 *   from the first hook that is called to the end of on_finish. Authors free none of them.
 * - Options are structs whose zero means the default: use designated initialisers.
 * - A function that can fail returns struct corset_error *, NULL for success. The caller owns the
 *   error and returns it or frees it.
 * - Everything runs on one thread, on fibers. A function that says "Waits" lets other fibers run
 *   meanwhile. Your functions must not block the thread in another way, and have a stack of 64 KiB.
 */
#ifndef CORSET_CORSET_H
#define CORSET_CORSET_H

#include <corset/client.h>
#include <corset/clusters.h>
#include <corset/controller.h>
#include <corset/error.h>
#include <corset/export.h>
#include <corset/manager.h>
#include <corset/object.h>

#endif
