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
 *     int main(int argc, char **argv)
 *     {
 *         static const struct corset_watch watches[] = {{.api_version = "v1", .kind =
 * "ConfigMap"}}; static const struct corset_controller note = { .name = "note", .api_version =
 * "example.com/v1", .kind = "Note", .watches = watches, .watch_count = 1, .build = build,
 *         };
 *         const struct corset_controller *controllers[] = {&note};
 *         const struct corset_manager_options options = {
 *             .controllers = controllers, .controller_count = 1,
 *         };
 *         return corset_main(argc, argv, &options);
 *     }
 *
 * That is a whole controller: for every Note there is a ConfigMap, created, changed and collected
 * with it, and the Note's status says how it stands. docs/guide.md goes from an empty folder to a
 * running one; examples/web is one with a Deployment and a Service.
 *
 *     corset/error.h       what went wrong, and whether trying again helps
 *     corset/object.h      Kubernetes objects: made of YAML, read and changed by path
 *     corset/controller.h  the controller: owner, watches, and the graph of what it wants
 *     corset/client.h      reading and writing objects by hand
 *     corset/manager.h     the process: kubeconfig, caches, leader election, probes, metrics
 *
 * What holds everywhere:
 *
 * - Text is NUL-terminated UTF-8. Texts and objects that a function gets or makes with the help of
 * a run live as long as that run: as long as the one call of build, on_delete or on_finish and
 * the graph between them. Nothing of it is freed by hand.
 * - Options are structs whose zero means the default: initialise them with designated initialisers.
 * - A function that can fail returns struct corset_error *, NULL for success. Whoever gets one owns
 *   it: returns it, or frees it.
 * - Everything runs on one thread, on fibers: calls that say "Waits" let others run meanwhile. Your
 *   functions must not block the thread otherwise, and have a stack of 64 KiB.
 */
#ifndef CORSET_CORSET_H
#define CORSET_CORSET_H

#include <corset/client.h>
#include <corset/controller.h>
#include <corset/error.h>
#include <corset/export.h>
#include <corset/manager.h>
#include <corset/object.h>

#endif
