#include "peers/differential/catalogue.h"

#include "async/fiber.h"
#include "base/array.h"
#include "base/buf.h"
#include "json/path.h"
#include "peers/conformance/fetch.h"

#define MEMORY_MAX    (512 * MEGABYTE)
#define FETCH_TIMEOUT (60 * SECOND)
#define FETCH_EVERY   (200 * MILLISECOND)

/*
 * Left out, because what one of them does depends on programs that are not there, or comes later
 * by itself: then answers differ with the moment.
 */
static const struct {
    struct str plural, reason;
} left_out[] = {
    {STR_INIT("apiservices"),               STR_INIT("where they lead is probed all the time")   },
    {STR_INIT("customresourcedefinitions"), STR_INIT("served some time after they were accepted")},
    {STR_INIT("ipaddresses"),               STR_INIT("belong to the allocator of Services")      },
    {STR_INIT("servicecidrs"),              STR_INIT("belong to the allocator of Services")      },
    {STR_INIT("selfsubjectreviews"),        STR_INIT("the administrators are different users")   },
    {STR_INIT("selfsubjectrulesreviews"),   STR_INIT("the administrators have different rules")  },
    {STR_INIT("tokenreviews"),              STR_INIT("tokens of one are none of the other")      },
};

/* What is stored of them holds for all requests after it, so they are only tried. */
static const struct str careful[] = {
    STR_INIT("limitranges"),
    STR_INIT("mutatingadmissionpolicies"),
    STR_INIT("mutatingadmissionpolicybindings"),
    STR_INIT("mutatingwebhookconfigurations"),
    STR_INIT("resourcequotas"),
    STR_INIT("validatingadmissionpolicies"),
    STR_INIT("validatingadmissionpolicybindings"),
    STR_INIT("validatingwebhookconfigurations"),
};

/* Subresources that make secrets, and those of Pods that need a scheduler or a kubelet. */
static const struct str left_out_subresources[] = {
    STR_INIT("token"),    STR_INIT("binding"), STR_INIT("ephemeralcontainers"),
    STR_INIT("eviction"), STR_INIT("log"),     STR_INIT("resize"),
};

static bool is_left_out(struct str plural)
{
    for (size_t i = 0; i < COUNT(left_out); i++)
        if (str_eq(plural, left_out[i].plural))
            return true;
    return false;
}

static bool is_among(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(names[i], name))
            return true;
    return false;
}

void catalogue_done(struct catalogue *catalogue)
{
    arena_done(&catalogue->arena);
    *catalogue = (struct catalogue){0};
}

static struct error *read_object(struct catalogue *catalogue, struct str line)
{
    struct arena *arena = &catalogue->arena;
    struct json_doc *doc;
    TRY(json_read(line, &doc));
    json_doc_hold(arena, doc);
    const struct json_value *row = json_doc_root(doc), *object = json_get(row, STR("object"));
    const struct str plural = json_path_str(row, "resource");
    if (!plural.len)
        catalogue->definition = json_write_arena(arena, object);
    else if (!is_left_out(plural))
        ARENA_ARRAY_PUSH(arena, catalogue->items, catalogue->count, catalogue->capacity,
                         (struct resource){
                             .api_version = json_path_str(object, "apiVersion"),
                             .kind = json_path_str(object, "kind"),
                             .plural = plural,
                             .base = object,
                             .is_careful = is_among(careful, COUNT(careful), plural),
                         });
    return NULL;
}

struct error *catalogue_read(struct catalogue *catalogue, struct str text)
{
    catalogue->arena.limit = MEMORY_MAX;
    for (struct str line; text.len;) {
        str_cut(&text, '\n', &line);
        if (line.len)
            TRY(read_object(catalogue, line));
    }
    return NULL;
}

struct str catalogue_root(struct arena *arena, struct str api_version)
{
    return arena_print(arena, "/api%s/%.*s", str_find_char(api_version, '/') == STR_NONE ? "" : "s",
                       STR_ARG(api_version));
}

const struct json_value *catalogue_resolve(const struct resource *resource,
                                           const struct json_value *schema)
{
    const struct str prefix = STR("#/components/schemas/");
    for (;;) {
        const struct json_value *all = json_path(schema, "allOf.0");
        struct str ref = json_path_str(schema, "$ref");
        if (all)
            ref = json_path_str(all, "$ref");
        if (!ref.len || !str_starts_with(ref, prefix))
            return schema;
        schema = json_get(resource->schemas, str_skip(ref, prefix.len));
    }
}

static unsigned read_verbs(const struct json_value *item)
{
    static const struct {
        const char *action;
        enum verb verb;
    } actions[] = {
        {"get",              VERB_GET              },
        {"list",             VERB_LIST             },
        {"post",             VERB_CREATE           },
        {"put",              VERB_UPDATE           },
        {"patch",            VERB_PATCH            },
        {"delete",           VERB_DELETE           },
        {"deletecollection", VERB_DELETE_COLLECTION},
    };
    unsigned verbs = 0;
    const struct json_value *operation;
    JSON_FOREACH (method, operation, item)
        for (size_t i = 0; i < COUNT(actions); i++)
            if (str_eq(json_path_str(operation, "x-kubernetes-action"),
                       str_from_c(actions[i].action)))
                verbs |= 1U << actions[i].verb;
    return verbs;
}

/* A path, its root taken away: [namespaces/{namespace}/]PLURAL[/{name}[/SUBRESOURCE]]. */
struct path {
    bool is_namespaced;
    struct str plural, subresource; /* the latter empty for the object itself */
};

static struct path read_path(struct str text)
{
    const struct str inside = STR("namespaces/{namespace}/");
    struct path path = {.is_namespaced = str_starts_with(text, inside)};
    struct str name;
    path.subresource = path.is_namespaced ? str_skip(text, inside.len) : text;
    str_cut(&path.subresource, '/', &path.plural);
    str_cut(&path.subresource, '/', &name);
    return path;
}

static void add_verbs(struct catalogue *catalogue, struct resource *resource,
                      const struct path *path, unsigned verbs)
{
    resource->is_namespaced = resource->is_namespaced || path->is_namespaced;
    if (!path->subresource.len)
        resource->verbs |= verbs;
    else if (!is_among(left_out_subresources, COUNT(left_out_subresources), path->subresource) &&
             resource->subresource_count < SUBRESOURCES_MAX)
        resource->subresources[resource->subresource_count++] =
            (struct subresource){arena_str(&catalogue->arena, path->subresource), verbs};
}

/* A resource may be there several times, with other objects. */
static void add_path(struct catalogue *catalogue, struct str api_version, struct str text,
                     unsigned verbs)
{
    const struct path path = read_path(text);
    for (size_t i = 0; verbs && i < catalogue->count; i++) {
        struct resource *resource = &catalogue->items[i];
        if (str_eq(resource->api_version, api_version) && str_eq(resource->plural, path.plural))
            add_verbs(catalogue, resource, &path, verbs);
    }
}

static void add_schemas(struct catalogue *catalogue, struct str api_version,
                        const struct json_value *schemas)
{
    const struct json_value *schema;
    struct str version = api_version, group = STR("");
    if (str_find_char(version, '/') != STR_NONE)
        str_cut(&version, '/', &group);
    JSON_FOREACH (name, schema, schemas)
        for (size_t i = 0; i < catalogue->count; i++) {
            struct resource *resource = &catalogue->items[i];
            const struct json_value *is = json_path(schema, "x-kubernetes-group-version-kind.0");
            if (str_eq(resource->api_version, api_version) &&
                str_eq(json_path_str(is, "kind"), resource->kind) &&
                str_eq(json_path_str(is, "group"), group) &&
                str_eq(json_path_str(is, "version"), version)) {
                resource->schema = schema;
                resource->schemas = schemas;
            }
        }
}

/* A custom resource is described some time after it is served. */
static struct error *fetch_patiently(struct caller *caller, struct str path,
                                     struct json_doc **ret_doc)
{
    FIBER_TIMEOUT(FETCH_TIMEOUT);
    for (;;) {
        int status;
        TRY(fetch_document(caller, path, &status, ret_doc));
        if (status == 200)
            return NULL;
        json_doc_free(TAKE(*ret_doc));
        TRY(fiber_sleep(FETCH_EVERY), "wait for %.*s", STR_ARG(path));
    }
}

static struct error *fetch_version(struct catalogue *catalogue, struct caller *caller,
                                   struct str api_version)
{
    struct arena *arena = &catalogue->arena;
    const struct str root = catalogue_root(arena, api_version);
    struct json_doc *doc = NULL;
    TRY(fetch_patiently(caller, arena_print(arena, "/openapi/v3%.*s", STR_ARG(root)), &doc));
    json_doc_hold(arena, doc);
    const struct json_value *item;
    JSON_FOREACH (path, item, json_path(json_doc_root(doc), "paths"))
        if (str_starts_with(path, root) && path.len > root.len + 1)
            add_path(catalogue, api_version, str_skip(path, root.len + 1), read_verbs(item));
    add_schemas(catalogue, api_version, json_path(json_doc_root(doc), "components.schemas"));
    return NULL;
}

struct error *catalogue_fetch(struct catalogue *catalogue, struct caller *caller)
{
    size_t kept = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct str version = catalogue->items[i].api_version;
        bool is_first = true;
        for (size_t j = 0; is_first && j < i; j++)
            is_first = !str_eq(catalogue->items[j].api_version, version);
        if (is_first)
            TRY(fetch_version(catalogue, caller, version));
    }
    for (size_t i = 0; i < catalogue->count; i++)
        if (catalogue->items[i].verbs)
            catalogue->items[kept++] = catalogue->items[i];
    catalogue->count = kept;
    return arena_check(&catalogue->arena);
}
