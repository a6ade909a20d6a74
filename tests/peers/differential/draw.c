#include "json/builder.h"
#include "json/path.h"
#include "peers/differential/draw_internal.h"

#define STEPS_MIN 3
#define STEPS_MAX 12

size_t draw_below(struct draw *draw, size_t count)
{
    return (size_t)random_below(&draw->random, count);
}

bool draw_chance(struct draw *draw, unsigned percent)
{
    return random_below(&draw->random, 100) < percent;
}

/* One request while it is drawn. */
struct drawn {
    struct draw *draw;
    const struct resource *resource;
    const struct subresource *subresource; /* NULL: the object itself */
    struct str letter;                     /* what the object is called */
    struct str name, variable;
    enum verb verb;
    struct str method, path, content_type, body;
    bool is_apply;
    struct json_builder query;
};

static struct str collection_of(struct drawn *drawn)
{
    struct arena *arena = &drawn->draw->arena;
    const struct resource *resource = drawn->resource;
    const struct str root = catalogue_root(arena, resource->api_version);
    if (!resource->is_namespaced)
        return arena_print(arena, "%.*s/%.*s", STR_ARG(root), STR_ARG(resource->plural));
    return arena_print(arena, "%.*s/namespaces/{{ns}}/%.*s", STR_ARG(root),
                       STR_ARG(resource->plural));
}

static struct str object_of(struct drawn *drawn)
{
    return arena_print(&drawn->draw->arena, "%.*s/%.*s", STR_ARG(collection_of(drawn)),
                       STR_ARG(drawn->name));
}

static void add(struct drawn *drawn, const char *name, struct str value)
{
    json_builder_add_str(&drawn->query, name, value);
}

/* A parameter with one of the values, sometimes. */
#define ADD_SOMETIMES(drawn, percent, name, values)            \
    do {                                                       \
        if (draw_chance((drawn)->draw, percent))               \
            add(drawn, name, DRAW_ONE((drawn)->draw, values)); \
    } while (0)

static void add_write_options(struct drawn *drawn)
{
    static const char *const managers[] = {"one", "two", "three", "", "{{repeat:m:129}}"};
    static const char *const validations[] = {"Strict", "Warn", "Ignore", "Sometimes"};
    static const char *const dry[] = {"All", "All", "All", "Some", ""};
    static const char *const force[] = {"true", "true", "false", "maybe"};
    const bool is_strict = drawn->is_apply && draw_chance(drawn->draw, 90);
    if (drawn->resource->is_careful)
        add(drawn, "dryRun", STR("All"));
    else
        ADD_SOMETIMES(drawn, 10, "dryRun", dry);
    if (is_strict)
        add(drawn, "fieldManager", draw_chance(drawn->draw, 50) ? STR("one") : STR("two"));
    else
        ADD_SOMETIMES(drawn, 25, "fieldManager", managers);
    ADD_SOMETIMES(drawn, 25, "fieldValidation", validations);
    ADD_SOMETIMES(drawn, drawn->is_apply ? 40 : 3, "force", force);
}

static void add_selectors(struct drawn *drawn)
{
    static const char *const labels[] = {
        "k=v",         "k!=v", "k in (v,w)",     "k notin (v)", "k",   "!k",  "k=v,k in (v)",
        "k=no value!", "=",    "k in ()",        "k>1",         "k>x", "a b", "k==v",
        "k in v",      ",",    "sequence={{ns}}"};
    static const char *const fields[] = {"metadata.name=a",
                                         "metadata.name!=a",
                                         "metadata.namespace={{ns}}",
                                         "metadata.name=a,metadata.name=b",
                                         "metadata.name=",
                                         "spec.nodeName=",
                                         "status.phase=Pending",
                                         "type=Opaque",
                                         "spec.nothing=1",
                                         "metadata.labels=k",
                                         "metadata.name",
                                         "metadata.name in (a)",
                                         ",",
                                         "involvedObject.kind=ConfigMap"};
    ADD_SOMETIMES(drawn, 30, "labelSelector", labels);
    ADD_SOMETIMES(drawn, 20, "fieldSelector", fields);
}

static void add_list_options(struct drawn *drawn)
{
    static const char *const limits[] = {"1", "2", "500", "0", "-1", "x"};
    static const char *const tokens[] = {"{{continue}}", "{{continue}}", "nonsense", ""};
    static const char *const versions[] = {"x", "-1", ""};
    static const char *const matches[] = {"Exact", "NotOlderThan", "Wrong"};
    add_selectors(drawn);
    ADD_SOMETIMES(drawn, 30, "limit", limits);
    ADD_SOMETIMES(drawn, 10, "continue", tokens);
    if (draw_chance(drawn->draw, 5))
        add(drawn, "resourceVersion",
            arena_print(&drawn->draw->arena, "{{rv:%.*s}}", STR_ARG(drawn->variable)));
    else
        ADD_SOMETIMES(drawn, 2, "resourceVersion", versions);
    ADD_SOMETIMES(drawn, 5, "resourceVersionMatch", matches);
}

/* Deleted without a policy, their dependents are orphaned by a controller that does not run. */
static bool is_orphaning(const struct resource *resource)
{
    return str_eq(resource->kind, STR("Job")) ||
           str_eq(resource->kind, STR("ReplicationController"));
}

static void add_delete_options(struct drawn *drawn)
{
    static const char *const dry[] = {"All", "All", "Some"};
    static const char *const policies[] = {"Background", "Wrong", ""};
    static const char *const lingering[] = {"Foreground", "Orphan"};
    static const char *const seconds[] = {"0", "-1", "x", "5"};
    const bool is_dry = draw_chance(drawn->draw, 10);
    /* Of a namespace a controller would delete the rest, and of an owner its dependents. */
    if (drawn->resource->is_careful || is_dry || str_eq(drawn->resource->kind, STR("Namespace"))) {
        add(drawn, "dryRun", STR("All"));
        ADD_SOMETIMES(drawn, 30, "propagationPolicy", lingering);
    } else {
        ADD_SOMETIMES(drawn, 3, "dryRun", dry);
        if (is_orphaning(drawn->resource))
            add(drawn, "propagationPolicy", STR("Background"));
        else
            ADD_SOMETIMES(drawn, 10, "propagationPolicy", policies);
    }
    ADD_SOMETIMES(drawn, 10, "gracePeriodSeconds", seconds);
}

static void draw_patch(struct drawn *drawn, bool is_status, bool is_scale)
{
    static const char *const types[] = {
        "application/merge-patch+json", "application/strategic-merge-patch+json",
        "application/apply-patch+yaml", "application/json-patch+json"};
    const size_t type = draw_below(drawn->draw, COUNT(types));
    struct draw *draw = drawn->draw;
    drawn->content_type = str_from_c(types[type]);
    drawn->is_apply = type == 2;
    if (type == 3)
        drawn->body = draw_json_patch(draw, drawn->resource);
    else if (is_scale)
        drawn->body = draw_scale(draw, drawn->name, drawn->variable);
    else if (type == 2)
        drawn->body = draw_object(draw, drawn->resource, drawn->name, drawn->variable, is_status);
    else
        drawn->body = draw_merge(draw, drawn->resource, drawn->variable, is_status, type == 1);
}

/* What belongs to the verb: path, parameters and body. */
static void draw_request(struct drawn *drawn)
{
    struct draw *draw = drawn->draw;
    const struct str sub = drawn->subresource ? drawn->subresource->name : STR("");
    const bool is_status = str_eq(sub, STR("status")), is_scale = str_eq(sub, STR("scale"));
    drawn->path = object_of(drawn);
    if (sub.len)
        drawn->path = arena_print(&draw->arena, "%.*s/%.*s", STR_ARG(drawn->path), STR_ARG(sub));
    switch (drawn->verb) {
    case VERB_GET:
        drawn->method = STR("GET");
        break;
    case VERB_LIST:
        drawn->method = STR("GET");
        drawn->path = collection_of(drawn);
        if (!drawn->resource->is_namespaced)
            add(drawn, "labelSelector", STR("sequence={{ns}}")); /* others are at work, too */
        else
            add_list_options(drawn);
        break;
    case VERB_CREATE:
        drawn->method = STR("POST");
        if (!sub.len)
            drawn->path = collection_of(drawn);
        drawn->body = draw_object(draw, drawn->resource, drawn->name, drawn->variable, false);
        add_write_options(drawn);
        break;
    case VERB_UPDATE:
        drawn->method = STR("PUT");
        drawn->body =
            is_scale ? draw_scale(draw, drawn->name, drawn->variable)
                     : draw_object(draw, drawn->resource, drawn->name, drawn->variable, is_status);
        add_write_options(drawn);
        break;
    case VERB_PATCH:
        drawn->method = STR("PATCH");
        draw_patch(drawn, is_status, is_scale);
        add_write_options(drawn);
        break;
    case VERB_DELETE:
        drawn->method = STR("DELETE");
        if (!is_orphaning(drawn->resource))
            drawn->body = draw_delete_options(draw, drawn->variable);
        add_delete_options(drawn);
        break;
    case VERB_DELETE_COLLECTION:
    case VERBS:
        drawn->method = STR("DELETE");
        drawn->path = collection_of(drawn);
        if (drawn->resource->is_namespaced)
            add_selectors(drawn);
        else
            add(drawn, "labelSelector", STR("sequence={{ns}}"));
        add_delete_options(drawn);
        break;
    }
}

static void add_headers(struct drawn *drawn, struct json_builder *builder)
{
    static const char *const accepts[] = {
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
        "application/json;as=Nothing;v=v1;g=meta.k8s.io",
        "text/html",
    };
    static const char *const types[] = {"text/plain", "application/yaml", "",
                                        "application/json; charset=utf-8",
                                        "application/merge-patch+json"};
    struct draw *draw = drawn->draw;
    if (draw_chance(draw, 3) && drawn->body.len)
        drawn->content_type = DRAW_ONE(draw, types);
    json_builder_add_object(builder, "headers");
    if (drawn->body.len && drawn->content_type.len)
        json_builder_add_str(builder, "Content-Type", drawn->content_type);
    json_builder_add_str(builder, "Accept",
                         draw_chance(draw, 12) ? DRAW_ONE(draw, accepts) : STR("application/json"));
    json_builder_end(builder);
}

/* The drawn request as a step of a sequence. */
static struct json_doc *write_step(struct drawn *drawn)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) query = NULL;
    struct json_doc *step = NULL;
    json_builder_end(&drawn->query);
    error_free(json_builder_finish(&drawn->query, &query));
    json_builder_object(&builder);
    json_builder_add_str(&builder, "method", drawn->method);
    json_builder_add_str(&builder, "path", drawn->path);
    json_builder_add_value(&builder, "query", json_doc_root(query));
    add_headers(drawn, &builder);
    if (drawn->body.len)
        json_builder_add_str(&builder, "body", drawn->body);
    json_builder_add_str(&builder, "object", drawn->variable);
    if (!str_eq(drawn->method, STR("GET")) && drawn->resource->verbs & 1U << VERB_GET)
        json_builder_add_str(&builder, "reads",
                             drawn->resource->is_namespaced ? collection_of(drawn)
                                                            : object_of(drawn));
    json_builder_end(&builder);
    error_free(json_builder_finish(&builder, &step));
    return step;
}

static enum verb draw_verb(struct draw *draw, unsigned allowed)
{
    static const enum verb lots[] = {
        VERB_CREATE, VERB_CREATE, VERB_CREATE, VERB_CREATE, VERB_GET,
        VERB_LIST,   VERB_LIST,   VERB_UPDATE, VERB_UPDATE, VERB_PATCH,
        VERB_PATCH,  VERB_PATCH,  VERB_PATCH,  VERB_DELETE, VERB_DELETE_COLLECTION};
    for (int tries = 0; tries < 100; tries++) {
        const enum verb verb = lots[draw_below(draw, COUNT(lots))];
        if (allowed & 1U << verb)
            return verb;
    }
    return VERB_CREATE;
}

static struct json_doc *draw_step(struct draw *draw, const struct resource *resource)
{
    static const char *const letters[] = {"a", "a", "a", "b", "c"};
    struct drawn drawn = {.draw = draw,
                          .resource = resource,
                          .letter = DRAW_ONE(draw, letters),
                          .content_type = STR("application/json")};
    drawn.name = resource->is_namespaced
                     ? drawn.letter
                     : arena_print(&draw->arena, "{{ns}}-%.*s", STR_ARG(drawn.letter));
    drawn.variable =
        arena_print(&draw->arena, "%.*s.%.*s", STR_ARG(resource->plural), STR_ARG(drawn.letter));
    if (resource->subresource_count && draw_chance(draw, 25))
        drawn.subresource = &resource->subresources[draw_below(draw, resource->subresource_count)];
    drawn.verb = draw_verb(draw, drawn.subresource ? drawn.subresource->verbs : resource->verbs);
    json_builder_object(&drawn.query);
    draw_request(&drawn);
    return write_step(&drawn);
}

void draw_sequence(const struct catalogue *catalogue, uint64_t number,
                   struct sequence *ret_sequence)
{
    struct draw draw = {0};
    random_init(&draw.random, number);
    *ret_sequence = (struct sequence){0};
    const struct resource *const resources[] = {
        &catalogue->items[draw_below(&draw, catalogue->count)],
        &catalogue->items[draw_below(&draw, catalogue->count)],
    };
    const size_t count = STEPS_MIN + draw_below(&draw, STEPS_MAX - STEPS_MIN + 1);
    for (size_t i = 0; i < count; i++)
        sequence_add(ret_sequence, draw_step(&draw, resources[draw_chance(&draw, 25)]));
    arena_done(&draw.arena);
}
