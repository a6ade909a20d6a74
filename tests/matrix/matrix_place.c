/* Which places there are: discovery says it, so that a new kind or subresource is in the matrix. */
#include "apiserver/registry/kind.h"
#include "async/fiber.h"
#include "base/array.h"
#include "json/path.h"
#include "matrix.h"
#include "testing/test.h"

#define JSON STR("application/json")
#define SPOT STR("matrix") /* the namespace */

/* The file is read once: a row for each kind, behind the definition of the custom resource. */
static struct str minimal_objects(void)
{
    static struct str text;
    if (!text.ptr)
        text = test_data("kinds/minimal.jsonl");
    return text;
}

static struct json_doc *get(struct api_fixture *fixture, struct str path)
{
    struct json_doc *doc = NULL;
    CHECK_EQ(api_fixture_call(fixture, STR("GET"), path, STR(""), STR(""), &doc), 200);
    return doc;
}

static struct str root_of(struct arena *arena, struct str api_version)
{
    return arena_print(arena, "/api%s/%.*s", str_find_char(api_version, '/') == STR_NONE ? "" : "s",
                       STR_ARG(api_version));
}

static struct str collection_of(struct arena *arena, const struct matrix_resource *resource)
{
    const struct str root = root_of(arena, resource->api_version);
    return resource->is_namespaced
               ? arena_print(arena, "%.*s/namespaces/%.*s/%.*s", STR_ARG(root), STR_ARG(SPOT),
                             STR_ARG(resource->plural))
               : arena_print(arena, "%.*s/%.*s", STR_ARG(root), STR_ARG(resource->plural));
}

static void add_place(struct arena *arena, struct matrix_resource *resource, struct str path,
                      struct str name, enum matrix_part part)
{
    struct matrix_place *places =
        arena_alloc_array(arena, resource->place_count + 1, sizeof(*places));
    if (resource->place_count)
        memcpy(places, resource->places, resource->place_count * sizeof(*places));
    places[resource->place_count++] = (struct matrix_place){path, name, part};
    resource->places = places;
}

static void add_subresource(struct arena *arena, struct matrix_resource *resource, struct str sub)
{
    const struct str collection = collection_of(arena, resource);
    const struct str names[] = {json_path_str(json_doc_root(resource->object), "metadata.name"),
                                STR("absent")};
    const enum matrix_part part = str_eq(sub, STR("scale"))      ? MATRIX_SCALE
                                  : str_eq(sub, STR("token"))    ? MATRIX_TOKEN
                                  : str_eq(sub, STR("binding"))  ? MATRIX_BINDING
                                  : str_eq(sub, STR("eviction")) ? MATRIX_EVICTION
                                                                 : MATRIX_OBJECT;
    for (size_t i = 0; i < COUNT(names); i++)
        add_place(arena, resource,
                  arena_print(arena, "%.*s/%.*s/%.*s", STR_ARG(collection), STR_ARG(names[i]),
                              STR_ARG(sub)),
                  names[i], part);
}

static void add_places(struct arena *arena, struct matrix_resource *resource)
{
    const struct str collection = collection_of(arena, resource);
    const struct str name = json_path_str(json_doc_root(resource->object), "metadata.name");
    add_place(arena, resource, collection, name, MATRIX_OBJECT);
    add_place(arena, resource, arena_print(arena, "%.*s/%.*s", STR_ARG(collection), STR_ARG(name)),
              name, MATRIX_OBJECT);
    add_place(arena, resource, arena_print(arena, "%.*s/absent", STR_ARG(collection)),
              STR("absent"), MATRIX_OBJECT);
    if (resource->is_namespaced)
        add_place(arena, resource,
                  arena_print(arena, "%.*s/%.*s", STR_ARG(root_of(arena, resource->api_version)),
                              STR_ARG(resource->plural)),
                  name, MATRIX_OBJECT);
    add_subresource(arena, resource, STR("nothing"));
}

static struct matrix_resource *find_resource(struct matrix_resources *resources,
                                             struct str api_version, struct str plural)
{
    for (size_t i = 0; i < resources->count; i++)
        if (str_eq(resources->items[i].api_version, api_version) &&
            str_eq(resources->items[i].plural, plural))
            return &resources->items[i];
    return NULL;
}

/* The rows of the file, without the first, which is the definition of the custom resource. */
static void read_rows(struct matrix_resources *resources)
{
    struct str rest = minimal_objects(), line;
    struct arena *arena = &resources->arena;
    str_cut(&rest, '\n', &line);
    resources->items = arena_alloc_array(arena, 200, sizeof(*resources->items));
    while (rest.len) {
        OWNED(json_doc) row = NULL;
        str_cut(&rest, '\n', &line);
        CHECK_OK(json_read(line, &row));
        const struct json_value *object = json_get(json_doc_root(row), STR("object"));
        CHECK(resources->count < 200);
        resources->items[resources->count++] = (struct matrix_resource){
            .kind = arena_str(arena, json_path_str(object, "kind")),
            .api_version = arena_str(arena, json_path_str(object, "apiVersion")),
            .plural = arena_str(arena, json_path_str(json_doc_root(row), "resource")),
            .object = json_doc_copy(object),
        };
    }
}

/* One APIResource. */
static void add_discovered(struct matrix_resources *resources, struct str api_version,
                           const struct json_value *row)
{
    struct str sub = json_path_str(row, "name"), plural;
    bool is_namespaced = false;
    const bool is_sub = str_cut(&sub, '/', &plural);
    struct matrix_resource *resource = find_resource(resources, api_version, plural);
    TEST_CASE("%.*s %.*s needs its row in kinds/minimal.jsonl", STR_ARG(api_version),
              STR_ARG(plural));
    CHECK(resource);
    (void)json_to_bool(json_get(row, STR("namespaced")), &is_namespaced);
    if (is_sub) {
        CHECK(resource->place_count > 0);
        add_subresource(&resources->arena, resource, arena_str(&resources->arena, sub));
        return;
    }
    resource->is_namespaced = is_namespaced;
    resource->is_stored = json_count(json_get(row, STR("verbs"))) > 1;
    add_places(&resources->arena, resource);
}

static void add_version(struct matrix_resources *resources, struct api_fixture *fixture,
                        struct str api_version)
{
    OWNED(json_doc) doc = get(fixture, root_of(&resources->arena, api_version));
    const struct json_value *row;
    JSON_FOREACH (key, row, json_get(json_doc_root(doc), STR("resources")))
        add_discovered(resources, api_version, row);
}

static void add_group(struct matrix_resources *resources, struct api_fixture *fixture,
                      const struct json_value *versions)
{
    const struct json_value *version;
    JSON_FOREACH (key, version, versions)
        add_version(resources, fixture,
                    arena_str(&resources->arena, json_path_str(version, "groupVersion")));
}

void matrix_resources_init(struct matrix_resources *resources, struct api_fixture *fixture)
{
    *resources = (struct matrix_resources){0};
    read_rows(resources);
    add_version(resources, fixture, STR("v1"));
    OWNED(json_doc) groups = get(fixture, STR("/apis"));
    const struct json_value *group;
    JSON_FOREACH (key, group, json_get(json_doc_root(groups), STR("groups")))
        add_group(resources, fixture, json_get(group, STR("versions")));
    for (size_t i = 0; i < resources->count; i++) {
        TEST_CASE("%.*s is in the file and is not served", STR_ARG(resources->items[i].plural));
        CHECK(resources->items[i].place_count > 0);
    }
}

void matrix_resources_done(struct matrix_resources *resources)
{
    for (size_t i = 0; i < resources->count; i++)
        json_doc_free(resources->items[i].object);
    arena_done(&resources->arena);
}

/* POST of an object that may be there. */
static void create(struct api_fixture *fixture, struct str path, struct str body)
{
    OWNED(json_doc) doc = NULL;
    const int status = api_fixture_call(fixture, STR("POST"), path, JSON, body, &doc);
    if (status != 201 && status != 409)
        test_fail(TEST_PLACE("create"), "%.*s: %d %.*s", STR_ARG(path), status,
                  STR_ARG(json_path_str(json_doc_root(doc), "message")));
}

void matrix_prepare(struct api_fixture *fixture)
{
    struct str rest = minimal_objects(), line;
    OWNED(json_doc) row = NULL;
    SCOPED(buf) definition = {.limit = 0};
    str_cut(&rest, '\n', &line);
    CHECK_OK(json_read(line, &row));
    json_write(&definition, json_get(json_doc_root(row), STR("object")));
    create(fixture, STR("/api/v1/namespaces"), STR("{\"metadata\":{\"name\":\"matrix\"}}"));
    create(fixture, STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
           buf_str(&definition));
    api_fixture_settle(fixture);
}

/* As the kubelet does with a Pod that has a node: it stays for its grace period otherwise. */
static void end_pod(struct api_fixture *fixture, struct str path)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    const struct str now = arena_print(&arena, "%.*s?gracePeriodSeconds=0", STR_ARG(path));
    (void)api_fixture_call(fixture, STR("DELETE"), now, STR(""), STR(""), &doc);
}

void matrix_restore(struct api_fixture *fixture, const struct matrix_resource *resource,
                    struct json_doc **ret_current)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = 0};
    const struct str collection = collection_of(&arena, resource);
    const struct str name = json_path_str(json_doc_root(resource->object), "metadata.name");
    const struct str path = arena_print(&arena, "%.*s/%.*s", STR_ARG(collection), STR_ARG(name));
    *ret_current = NULL;
    if (!resource->is_stored)
        return;
    json_write(&body, json_doc_root(resource->object));
    for (int i = 0; i < 5; i++) {
        OWNED(json_doc) doc = NULL;
        const int status = api_fixture_call(fixture, STR("GET"), path, STR(""), STR(""), &doc);
        const bool is_there =
            status == 200 && !json_path(json_doc_root(doc), "metadata.deletionTimestamp");
        if (is_there) {
            *ret_current = TAKE(doc);
            return;
        }
        if (json_path(json_doc_root(doc), "metadata.deletionGracePeriodSeconds"))
            end_pod(fixture, path);
        if (status != 404)
            api_fixture_settle(fixture); /* it is on its way */
        else if (str_eq(resource->plural, STR("widgets")))
            matrix_prepare(fixture);
        if (status == 404)
            create(fixture, collection, buf_str(&body));
    }
    test_fail(TEST_PLACE("restore"), "%.*s cannot be made again", STR_ARG(path));
}
