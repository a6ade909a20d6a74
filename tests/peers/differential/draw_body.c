/* Bodies: an object that is known to be right, and changes to it. */
#include "base/buf.h"
#include "json/edit.h"
#include "json/path.h"
#include "peers/conformance/exchange.h"
#include "peers/differential/draw_internal.h"

#define DEPTH_MAX 5

static void set_text(struct draw *draw, struct json_edit *edit, const char *path, struct str text)
{
    struct json_doc *doc = NULL;
    error_free(json_read(text, &doc));
    if (!doc)
        return;
    json_doc_hold(&draw->arena, doc);
    json_edit_set(edit, (struct json_place){.path = path}, json_doc_root(doc));
}

/* Tables say VARIABLE where the name of the object's variables stands: {{rv:VARIABLE}}. */
static struct str fill_variable(struct draw *draw, struct str text, struct str variable)
{
    return exchange_replace(&draw->arena, text, STR("VARIABLE"), variable);
}

static void change_metadata(struct draw *draw, struct json_edit *edit, struct str variable)
{
    static const struct {
        const char *path, *text;
    } changes[] = {
        {"metadata.labels.k",          "\"v\""                                    },
        {"metadata.labels.k",          "\"w\""                                    },
        {"metadata.labels.k",          "\"no label!\""                            },
        {"metadata.labels",            "{\"/bad\":\"v\"}"                         },
        {"metadata.labels",            "[1]"                                      },
        {"metadata.labels",            "null"                                     },
        {"metadata.annotations.k",     "\"v\""                                    },
        {"metadata.annotations.k",     "1"                                        },
        {"metadata.annotations",       "{\"Bad Key\":\"v\"}"                      },
        {"metadata.annotations",       "null"                                     },
        {"metadata.finalizers",        "[\"example.com/f\"]"                      },
        {"metadata.finalizers",        "[\"example.com/f\",\"example.com/g\"]"    },
        {"metadata.finalizers",        "[\"bad finalizer\"]"                      },
        {"metadata.finalizers",        "[]"                                       },
        {"metadata.ownerReferences",   "[{\"kind\":\"ConfigMap\",\"name\":\"a\"}]"},
        {"metadata.generateName",      "\"g-\""                                   },
        {"metadata.name",              "\"{{ns}}-z\""                             },
        {"metadata.name",              "\"{{ns}}_N\""                             },
        {"metadata.namespace",         "\"another\""                              },
        {"metadata.namespace",         "\"{{ns}}\""                               },
        {"metadata.uid",               "\"11111111-2222-3333-4444-555555555555\"" },
        {"metadata.uid",               "\"{{uid:VARIABLE}}\""                     },
        {"metadata.resourceVersion",   "\"{{rv:VARIABLE}}\""                      },
        {"metadata.resourceVersion",   "\"{{rv:VARIABLE}}\""                      },
        {"metadata.resourceVersion",   "\"1\""                                    },
        {"metadata.resourceVersion",   "\"x\""                                    },
        {"metadata.resourceVersion",   "\"0\""                                    },
        {"metadata.creationTimestamp", "\"2020-01-01T00:00:00Z\""                 },
        {"metadata.deletionTimestamp", "\"2020-01-01T00:00:00Z\""                 },
        {"metadata.generation",        "7"                                        },
        {"metadata.managedFields",     "[]"                                       },
        {"metadata.managedFields",     "[{}]"                                     },
        {"metadata.selfLink",          "\"/x\""                                   },
        {"metadata.unknown",           "1"                                        },
        {"unknown",                    "{\"a\":1}"                                },
        {"spec.unknown",               "true"                                     },
        {"kind",                       "\"Wrong\""                                },
        {"apiVersion",                 "\"v7\""                                   },
        {"kind",                       "\"\""                                     },
    };
    const size_t i = draw_below(draw, COUNT(changes));
    set_text(draw, edit, changes[i].path,
             fill_variable(draw, str_from_c(changes[i].text), variable));
}

/* A member of the schema by lot; NULL when there is none. */
static const struct json_value *draw_property(struct draw *draw, const struct json_value *schema,
                                              struct str *ret_name)
{
    const struct json_value *properties = json_get(schema, STR("properties")), *member;
    const size_t count = json_count(properties);
    size_t left = count ? draw_below(draw, count) : 0;
    JSON_FOREACH (name, member, properties)
        if (left-- == 0) {
            *ret_name = name;
            return member;
        }
    return NULL;
}

static bool is_own_part(struct str name, bool is_status)
{
    static const struct str others[] = {STR_INIT("apiVersion"), STR_INIT("kind"),
                                        STR_INIT("metadata")};
    for (size_t i = 0; i < COUNT(others); i++)
        if (str_eq(name, others[i]))
            return false;
    return str_eq(name, STR("status")) == is_status;
}

/* Goes down the schema for a while, and sets or removes what it finds there. */
static void change_by_schema(struct draw *draw, struct json_edit *edit,
                             const struct resource *resource, bool is_status)
{
    const struct json_value *schema = catalogue_resolve(resource, resource->schema), *below;
    SCOPED(buf) path = {0};
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        struct str name = STR("");
        if (str_eq(json_path_str(schema, "type"), STR("array"))) {
            const bool is_there = json_count(json_path(resource->base, buf_c(&path))) > 0;
            below = is_there ? json_get(schema, STR("items")) : NULL;
            name = STR("0");
        } else {
            below = draw_property(draw, schema, &name);
        }
        if (!below || (depth == 0 && !is_own_part(name, is_status)))
            break;
        buf_print(&path, "%s%.*s", path.len ? "." : "", STR_ARG(name));
        schema = catalogue_resolve(resource, below);
        if (draw_chance(draw, 20))
            break;
    }
    if (!path.len)
        return;
    const char *place = arena_c(&draw->arena, buf_str(&path));
    if (draw_chance(draw, 10))
        json_edit_remove(edit, (struct json_place){.path = place});
    else
        set_text(draw, edit, place, draw_value(draw, resource, schema));
}

static void change(struct draw *draw, struct json_edit *edit, const struct resource *resource,
                   struct str variable, bool is_status)
{
    /* A review is answered and forgotten, and must not have metadata. */
    if (resource->verbs & 1U << VERB_GET && draw_chance(draw, 55))
        change_metadata(draw, edit, variable);
    else
        change_by_schema(draw, edit, resource, is_status);
}

static struct str finish_edit(struct draw *draw, struct json_edit *edit)
{
    struct json_doc *doc = NULL;
    error_free(json_edit_finish(edit, &doc));
    if (!doc)
        return STR("{}");
    json_doc_hold(&draw->arena, doc);
    return json_write_arena(&draw->arena, json_doc_root(doc));
}

/* Texts that are no object, or are one twice. */
static struct str spoil(struct draw *draw, struct str text)
{
    static const char *const bodies[] = {"", "null", "[]", "{", "{}", "1", "\"x\"", "a: [b"};
    if (draw_chance(draw, 2))
        return DRAW_ONE(draw, bodies);
    if (draw_chance(draw, 2) && text.len > 2)
        return arena_print(&draw->arena, "{\"metadata\":{\"name\":\"a\"},%.*s",
                           STR_ARG(str_skip(text, 1)));
    return text;
}

struct str draw_object(struct draw *draw, const struct resource *resource, struct str name,
                       struct str variable, bool is_status)
{
    SCOPED(json_edit) edit;
    json_edit_init(&edit, resource->base);
    if (resource->verbs & 1U << VERB_GET) {
        json_edit_set_str(&edit, JSON_PLACE("metadata.name"), name);
        json_edit_set_str(&edit, JSON_PLACE("metadata.labels.sequence"), STR("{{ns}}"));
    } else {
        json_edit_remove(&edit, JSON_PLACE("metadata"));
    }
    const size_t changes = draw_chance(draw, 40) ? 0 : 1 + draw_below(draw, 3);
    for (size_t i = 0; i < changes; i++)
        change(draw, &edit, resource, variable, is_status);
    /*
     * kube-apiserver takes it from an update that creates: the object is being deleted from its
     * beginning, and gone with the next write. Corset does not; nothing can be compared then.
     */
    json_edit_remove(&edit, JSON_PLACE("metadata.deletionTimestamp"));
    return spoil(draw, finish_edit(draw, &edit));
}

struct str draw_merge(struct draw *draw, const struct resource *resource, struct str variable,
                      bool is_status, bool is_strategic)
{
    static const struct {
        const char *path, *text;
    } directives[] = {
        {"metadata.labels", "{\"$patch\":\"replace\",\"k\":\"v\"}"                         },
        {"metadata.labels", "{\"$patch\":\"delete\"}"                                      },
        {"metadata.labels", "{\"$retainKeys\":[\"k\"],\"k\":\"w\"}"                        },
        {"metadata",        "{\"$deleteFromPrimitiveList/finalizers\":[\"example.com/f\"]}"},
        {"metadata",        "{\"$setElementOrder/finalizers\":[\"example.com/g\"],"
                     "\"finalizers\":[\"example.com/g\"]}"             },
        {"$patch",          "\"replace\""                                                  },
        {"$patch",          "\"nothing\""                                                  },
    };
    SCOPED(json_edit) edit;
    json_edit_init(&edit, NULL);
    const size_t changes = 1 + draw_below(draw, 3);
    for (size_t i = 0; i < changes; i++)
        change(draw, &edit, resource, variable, is_status);
    if (is_strategic && draw_chance(draw, 20)) {
        const size_t i = draw_below(draw, COUNT(directives));
        set_text(draw, &edit, directives[i].path, str_from_c(directives[i].text));
    }
    return spoil(draw, finish_edit(draw, &edit));
}

struct str draw_json_patch(struct draw *draw, const struct resource *resource)
{
    static const char *const ops[] = {"add",  "add",  "replace", "remove",
                                      "test", "move", "copy",    "nonsense"};
    static const char *const paths[] = {"/metadata/labels/k",
                                        "/metadata/labels",
                                        "/metadata/annotations",
                                        "/metadata/annotations/k",
                                        "/metadata/finalizers",
                                        "/metadata/finalizers/-",
                                        "/metadata/finalizers/0",
                                        "/metadata/name",
                                        "/metadata/resourceVersion",
                                        "/spec",
                                        "/data",
                                        "/data/k",
                                        "/nothing/there",
                                        "/spec/replicas",
                                        "no-slash",
                                        ""};
    static const char *const values[] = {
        "\"v\"", "\"example.com/f\"", "{\"k\":\"v\"}", "[\"example.com/f\"]", "1", "null"};
    SCOPED(buf) out = {0};
    const size_t count = 1 + draw_below(draw, 3);
    (void)resource;
    buf_add_char(&out, '[');
    for (size_t i = 0; i < count; i++) {
        const struct str op = DRAW_ONE(draw, ops), path = DRAW_ONE(draw, paths);
        const struct str from = DRAW_ONE(draw, paths), value = DRAW_ONE(draw, values);
        buf_print(&out, "%s{\"op\":\"%.*s\",\"path\":\"%.*s\"", i ? "," : "", STR_ARG(op),
                  STR_ARG(path));
        if (str_eq(op, STR("move")) || str_eq(op, STR("copy")))
            buf_print(&out, ",\"from\":\"%.*s\"", STR_ARG(from));
        else if (!str_eq(op, STR("remove")))
            buf_print(&out, ",\"value\":%.*s", STR_ARG(value));
        buf_add_char(&out, '}');
    }
    buf_add_char(&out, ']');
    return spoil(draw, arena_str(&draw->arena, buf_str(&out)));
}

struct str draw_scale(struct draw *draw, struct str name, struct str variable)
{
    static const char *const specs[] = {"{\"replicas\":3}", "{\"replicas\":0}", "{}",
                                        "{\"replicas\":-1}", "{\"replicas\":\"x\"}"};
    static const char *const versions[] = {"", "", "\"resourceVersion\":\"1\",",
                                           "\"resourceVersion\":\"{{rv:VARIABLE}}\","};
    const struct str version = fill_variable(draw, DRAW_ONE(draw, versions), variable);
    const struct str spec = DRAW_ONE(draw, specs);
    return spoil(draw, arena_print(&draw->arena,
                                   "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\","
                                   "\"metadata\":{%.*s\"name\":\"%.*s\"},\"spec\":%.*s}",
                                   STR_ARG(version), STR_ARG(name), STR_ARG(spec)));
}

struct str draw_delete_options(struct draw *draw, struct str variable)
{
    static const char *const parts[] = {
        "\"preconditions\":{\"uid\":\"{{uid:VARIABLE}}\"}",
        "\"preconditions\":{\"resourceVersion\":\"{{rv:VARIABLE}}\"}",
        "\"preconditions\":{\"uid\":\"wrong\"}",
        "\"preconditions\":{\"resourceVersion\":\"1\"}",
        "\"gracePeriodSeconds\":0",
        "\"gracePeriodSeconds\":-5",
        "\"propagationPolicy\":\"Background\"",
        "\"propagationPolicy\":\"Wrong\"",
        "\"dryRun\":[\"All\"]",
        "\"dryRun\":[\"Some\"]",
        "\"orphanDependents\":false",
        "\"unknown\":1",
    };
    if (draw_chance(draw, 50))
        return STR("");
    const struct str part = fill_variable(draw, DRAW_ONE(draw, parts), variable);
    return arena_print(&draw->arena, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",%.*s}",
                       STR_ARG(part));
}
