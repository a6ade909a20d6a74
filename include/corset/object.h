/*
 * Kubernetes objects: JSON documents that are made of text, read and changed by path.
 *
 *     struct corset_object *service = corset_object_from_yaml(loop, "apiVersion: v1\n"
 *                                                                   "kind: Service\n"
 *                                                                   "spec:\n"
 *                                                                   "  ports:\n"
 *                                                                   "  - {name: http, protocol:
 * TCP}\n"); corset_object_set_string(service, "metadata.name", name);
 *     corset_object_set_int(service, "spec.ports.0.port", corset_object_int(owner, "spec.port",
 * 80)); corset_object_set_string(service, "spec.selector.app\\.kubernetes\\.io/name", name);
 *
 * A path is a list of names with dots between; a number counts elements of a list from 0. A dot
 * that belongs to a name is written "\\." (a backslash before the dot). The empty path is the whole
 * object.
 *
 * Values are set as values: whatever is in a text, it cannot break out of its field. So make
 * objects of constant text and set what comes from elsewhere.
 *
 * Setting creates what is missing on the way. The first thing that goes wrong (text that is not
 * YAML, a name inside of a number) is kept with the object and told by whoever uses it, such as
 * corset_graph_add(): there is nothing to check after each call.
 */
#ifndef CORSET_OBJECT_H
#define CORSET_OBJECT_H

#include <corset/error.h>
#include <corset/export.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CORSET_BEGIN

struct corset_run;
struct corset_object;

/*
 * One document of YAML or JSON, read as Kubernetes reads it. Never NULL. It lives as long as the
 * run; without one (NULL, in tests for example) it is the caller's.
 */
CORSET_EXPORT struct corset_object *corset_object_from_yaml(struct corset_run *run,
                                                            const char *text);

/* A copy to be changed. */
CORSET_EXPORT struct corset_object *corset_object_clone(struct corset_run *run,
                                                        const struct corset_object *object);

/* Only of those that were made without a loop; NULL is fine. */
CORSET_EXPORT void corset_object_free(struct corset_object *object);

/* The first problem; NULL when there is none. It belongs to the object. */
CORSET_EXPORT const struct corset_error *corset_object_problem(const struct corset_object *object);

/*
 * Reading. A field that is absent, null or of another type gives the fallback. Texts live as long
 * as the object and stay valid when it is changed; a text with a NUL byte in it counts as absent.
 */
CORSET_EXPORT const char *corset_object_string(const struct corset_object *object, const char *path,
                                               const char *fallback);
CORSET_EXPORT int64_t corset_object_int(const struct corset_object *object, const char *path,
                                        int64_t fallback);
CORSET_EXPORT double corset_object_double(const struct corset_object *object, const char *path,
                                          double fallback);
CORSET_EXPORT bool corset_object_bool(const struct corset_object *object, const char *path,
                                      bool fallback);

/* Whether there is anything but null. */
CORSET_EXPORT bool corset_object_has(const struct corset_object *object, const char *path);

/* Elements of a list or members of a map; 0 of anything else. */
CORSET_EXPORT size_t corset_object_count(const struct corset_object *object, const char *path);

/* The name of a map's member, in the order of the text; NULL past the end. */
CORSET_EXPORT const char *corset_object_key(const struct corset_object *object, const char *path,
                                            size_t index);

/* What is there as compact JSON text; NULL when there is nothing. */
CORSET_EXPORT const char *corset_object_json(const struct corset_object *object, const char *path);

/* Short for the fields of these names; "" when absent. */
CORSET_EXPORT const char *corset_object_api_version(const struct corset_object *object);
CORSET_EXPORT const char *corset_object_kind(const struct corset_object *object);
CORSET_EXPORT const char *corset_object_name(const struct corset_object *object);
CORSET_EXPORT const char *corset_object_namespace(const struct corset_object *object);
CORSET_EXPORT const char *corset_object_uid(const struct corset_object *object);
CORSET_EXPORT const char *corset_object_label(const struct corset_object *object, const char *key);
CORSET_EXPORT const char *corset_object_annotation(const struct corset_object *object,
                                                   const char *key);

/* The status ("True", "False", "Unknown") of the condition of this type; "Unknown" when absent. */
CORSET_EXPORT const char *corset_object_condition(const struct corset_object *object,
                                                  const char *type);

/*
 * Changing. Of a path to be set, only the last name may contain escaped dots. A NULL text sets
 * nothing.
 */
CORSET_EXPORT void corset_object_set_string(struct corset_object *object, const char *path,
                                            const char *value);
CORSET_EXPORT void corset_object_set_int(struct corset_object *object, const char *path,
                                         int64_t value);
CORSET_EXPORT void corset_object_set_bool(struct corset_object *object, const char *path,
                                          bool value);

/* The text that printf() would print. */
CORSET_EXPORT void corset_object_set_format(struct corset_object *object, const char *path,
                                            const char *format, ...) CORSET_PRINTF_LIKE(3, 4);

/* Any value, from YAML or JSON text: a map, a list, a number. */
CORSET_EXPORT void corset_object_set_yaml(struct corset_object *object, const char *path,
                                          const char *text);

/* The value of another object, of whatever type; if it has none, nothing is changed. */
CORSET_EXPORT void corset_object_copy(struct corset_object *object, const char *path,
                                      const struct corset_object *from, const char *from_path);

/* Adds to the end of a list, which is made if it is absent. */
CORSET_EXPORT void corset_object_append_yaml(struct corset_object *object, const char *path,
                                             const char *text);

CORSET_EXPORT void corset_object_remove(struct corset_object *object, const char *path);

CORSET_EXPORT void corset_object_set_label(struct corset_object *object, const char *key,
                                           const char *value);
CORSET_EXPORT void corset_object_set_annotation(struct corset_object *object, const char *key,
                                                const char *value);

CORSET_END

#endif
