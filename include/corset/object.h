/*
 * Kubernetes objects: JSON documents that are made of text, read and changed by path.
 *
 *     struct corset_object *service =
 *         corset_object_from_yaml(run, "apiVersion: v1\n"
 *                                      "kind: Service\n"
 *                                      "spec:\n"
 *                                      "  ports:\n"
 *                                      "  - {name: http, protocol: TCP}\n");
 *     corset_object_set_string(service, "metadata.name", name);
 *     corset_object_set_int(service, "spec.ports.0.port", 80);
 *     corset_object_set_string(service, "spec.selector.app\\.kubernetes\\.io/name", name);
 *
 * A path is a list of names with dots between them; a number counts the elements of a list from 0.
 * A dot inside a name is written "\\." (a backslash before the dot). The empty path is the whole
 * object.
 *
 * Values are set as values: no text can break out of its field. So make objects of constant text
 * and set what comes from elsewhere.
 *
 * Setting creates missing parents. The first problem (text that is not YAML, a name below a number)
 * is kept with the object and returned by functions that use the object, such as
 * corset_graph_add(). So single calls need no check.
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
 * Reads one document of YAML or JSON as Kubernetes reads it. Never NULL. The object lives as long
 * as the run; without a run (NULL, for example in tests) the caller frees it.
 */
CORSET_EXPORT struct corset_object *corset_object_from_yaml(struct corset_run *run,
                                                            const char *text);

/* A copy to be changed. */
CORSET_EXPORT struct corset_object *corset_object_clone(struct corset_run *run,
                                                        const struct corset_object *object);

/* Only for objects that were made without a run; NULL is fine. */
CORSET_EXPORT void corset_object_free(struct corset_object *object);

/* The first problem; NULL if there is none. It belongs to the object. */
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

/* True if there is a value other than null. */
CORSET_EXPORT bool corset_object_has(const struct corset_object *object, const char *path);

/* The number of elements of a list or members of a map; 0 for anything else. */
CORSET_EXPORT size_t corset_object_count(const struct corset_object *object, const char *path);

/* The name of a member of a map, in the order of the text; NULL past the end. */
CORSET_EXPORT const char *corset_object_key(const struct corset_object *object, const char *path,
                                            size_t index);

/* The value as compact JSON text; NULL if there is none. */
CORSET_EXPORT const char *corset_object_json(const struct corset_object *object, const char *path);

/* The fields of these names; "" if absent. */
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

/* Sets the value of another object, whatever its type. If there is no value, nothing changes. */
CORSET_EXPORT void corset_object_copy(struct corset_object *object, const char *path,
                                      const struct corset_object *from, const char *from_path);

/* Appends to a list, which is created if it is absent. */
CORSET_EXPORT void corset_object_append_yaml(struct corset_object *object, const char *path,
                                             const char *text);

CORSET_EXPORT void corset_object_remove(struct corset_object *object, const char *path);

CORSET_EXPORT void corset_object_set_label(struct corset_object *object, const char *key,
                                           const char *value);
CORSET_EXPORT void corset_object_set_annotation(struct corset_object *object, const char *key,
                                                const char *value);

CORSET_END

#endif
