#include "framework/object_decoration.h"

#include "json/path.h"
#include "testing/test.h"

#define OWNER                                                                                \
    "{\"apiVersion\":\"apps.corset.dev/v1\",\"kind\":\"Web\",\"metadata\":{\"name\":\"w1\"," \
    "\"namespace\":\"default\",\"uid\":\"u-1\",\"generation\":1}}"
#define MAP(metadata)                                                             \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"," \
    "\"namespace\":\"default\"" metadata "}}"
#define REFERENCE(group, kind, name, rest)                                 \
    "{\"apiVersion\":\"" group "\",\"kind\":\"" kind "\",\"name\":\"" name \
    "\",\"uid\":\"u-0\"" rest "}"

static struct object *read(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

/* The decoration of the fixture, with changes that a test makes. */
struct bench {
    struct arena arena;
    struct object *owner, *desired, *object;
    struct object_decoration decoration;
};

static void bench_init(struct bench *bench, const char *desired)
{
    *bench = (struct bench){.owner = read(OWNER), .desired = read(desired)};
    bench->decoration = (struct object_decoration){
        .domain = STR("corset.dev"),
        .controller = STR("web"),
        .version = STR("v1.0"),
        .owner = bench->owner,
        .owner_is_namespaced = true,
        .object_is_namespaced = true,
    };
}

static void bench_done(struct bench *bench)
{
    object_free(bench->owner);
    object_free(bench->desired);
    object_free(bench->object);
    arena_done(&bench->arena);
}

static struct error *decorate(struct bench *bench)
{
    return object_decoration_apply(&bench->arena, &bench->decoration, bench->desired,
                                   &bench->object);
}

static struct str at(const struct bench *bench, const char *path, const char *key)
{
    return json_to_str(json_get(object_path(bench->object, path), str_from_c(key)));
}

TEST(fw_92_what_every_managed_object_carries)
{
    SCOPED(bench) bench;
    bench_init(&bench, MAP(",\"labels\":{\"mine\":\"1\"},\"annotations\":{\"corset.dev/warning\":"
                           "\"old\",\"other\":\"2\"}"));
    bench.decoration.class_name = STR("a");
    CHECK_OK(decorate(&bench));
    CHECK_EQ(at(&bench, "metadata.annotations", "corset.dev/class"), STR("a"));
    CHECK_EQ(at(&bench, "metadata.annotations", "corset.dev/warning"),
             STR("⚠️ This Resource is managed by *web* ⚠️"));
    CHECK_EQ(at(&bench, "metadata.annotations", "other"), STR("2"));
    CHECK_EQ(at(&bench, "metadata.labels", "corset.dev/operator-controller"), STR("web"));
    CHECK_EQ(at(&bench, "metadata.labels", "corset.dev/operator-version"), STR("v1.0"));
    CHECK_EQ(at(&bench, "metadata.labels", "mine"), STR("1"));
    const struct json_value *reference = object_path(bench.object, "metadata.ownerReferences.0");
    bool controller = false, blocks = false;
    CHECK_EQ(json_path_str(reference, "apiVersion"), STR("apps.corset.dev/v1"));
    CHECK_EQ(json_path_str(reference, "kind"), STR("Web"));
    CHECK_EQ(json_path_str(reference, "name"), STR("w1"));
    CHECK_EQ(json_path_str(reference, "uid"), STR("u-1"));
    CHECK(json_to_bool(json_path(reference, "controller"), &controller) && controller);
    CHECK(json_to_bool(json_path(reference, "blockOwnerDeletion"), &blocks) && blocks);
}

TEST(fw_92_no_class_no_annotation)
{
    SCOPED(bench) bench;
    bench_init(&bench, MAP(""));
    CHECK_OK(decorate(&bench));
    CHECK(!json_get(object_annotations(bench.object), STR("corset.dev/class")));
}

/* The names of all references afterwards, in order. */
static void check_references(const char *name, const char *given, const char *names)
{
    SCOPED(bench) bench;
    SCOPED(arena) arena = {0};
    SCOPED(buf) seen = {.limit = 0};
    size_t controllers = 0;
    const struct json_value *value;
    TEST_CASE("%s", name);
    bench_init(&bench, arena_print(&arena, MAP(",\"ownerReferences\":[%s]"), given).ptr);
    CHECK_OK(decorate(&bench));
    JSON_FOREACH (key, value, object_owner_references(bench.object)) {
        const struct owner_reference reference = owner_reference_from_value(value);
        buf_print(&seen, "%s%.*s", seen.len ? " " : "", STR_ARG(reference.name));
        controllers += reference.controller;
        CHECK(!reference.controller || str_eq(reference.uid, STR("u-1")));
    }
    CHECK_EQ(buf_str(&seen), str_from_c(names));
    CHECK_EQ(controllers, 1);
}

TEST(fw_92_exactly_one_controller_reference)
{
    static const char ours[] = REFERENCE("apps.corset.dev/v1", "Web", "w1", "");
    check_references("none before", "", "w1");
    check_references("another owner", REFERENCE("v1", "Pod", "p", ""), "p w1");
    check_references("ours of before",
                     REFERENCE("apps.corset.dev/v1beta1", "Web", "w1", ",\"controller\":true"),
                     "w1");
    check_references("ours once more", ours, "w1");
    check_references("ours between",
                     REFERENCE("v1", "Pod", "p", "") "," REFERENCE(
                         "apps.corset.dev/v1", "Web", "w1", "") "," REFERENCE("v1", "Pod", "q", ""),
                     "p w1 q");
    check_references("ours twice",
                     REFERENCE("apps.corset.dev/v1", "Web", "w1",
                               "") "," REFERENCE("apps.corset.dev/v2", "Web", "w1", ""),
                     "w1");
    check_references("a namesake", REFERENCE("other.dev/v1", "Web", "w1", ""), "w1 w1");
}

TEST(fw_66_what_cannot_belong_to_the_owner_is_refused)
{
    SCOPED(bench) foreign;
    bench_init(&foreign, MAP(",\"ownerReferences\":[" REFERENCE("v1", "Pod", "p",
                                                                ",\"controller\":true") "]"));
    CHECK_FAILS(decorate(&foreign), ERROR_INVALID, "another controller owns it: Pod p");
    SCOPED(bench) elsewhere;
    bench_init(&elsewhere, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                           "\"a\",\"namespace\":\"other\"}}");
    CHECK_FAILS(decorate(&elsewhere), ERROR_INVALID, "different namespaces");
    SCOPED(bench) wide;
    bench_init(&wide, MAP(""));
    wide.decoration.object_is_namespaced = false;
    CHECK_FAILS(decorate(&wide), ERROR_INVALID, "in none");
    wide.decoration.owner_is_namespaced = false;
    CHECK_OK(decorate(&wide));
}

TEST(immutable_secrets_are_marked)
{
    /* clang-format off: texts of one row belong together */
    const struct {
        const char *object;
        bool marked;
    } cases[] = {
        {"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"immutable\":true}",
         true },
        {"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"immutable\":false}",
         false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"}}",
         false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"},\"immutable\":true}",
         false},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(bench) bench;
        TEST_CASE("%s", cases[i].object);
        bench_init(&bench, cases[i].object);
        CHECK_OK(decorate(&bench));
        CHECK_EQ(str_eq(at(&bench, "metadata.annotations", "corset.dev/immutable"), STR("true")),
                 cases[i].marked);
    }
}

#define WORKLOAD(kind)                                                                \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"a\"," \
    "\"namespace\":\"default\"},\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}}}}}"
#define RESOURCE(kind, name)                                                      \
    "{\"apiVersion\":\"v1\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"" name \
    "\",\"namespace\":\"default\",\"uid\":\"u-9\",\"resourceVersion\":\"48213\"}}"

#define TEMPLATE "spec.template.metadata.annotations"

TEST(templates_say_of_what_they_are_made)
{
    const char *const kinds[] = {WORKLOAD("Deployment"), WORKLOAD("StatefulSet"),
                                 WORKLOAD("DaemonSet")};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        SCOPED(bench) bench;
        OWNED(object) config = read(RESOURCE("ConfigMap", "web-config"));
        OWNED(object) role = read(RESOURCE("Role", "system:web"));
        const struct object *const resources[] = {config, role};
        TEST_CASE("%s", kinds[i]);
        bench_init(&bench, kinds[i]);
        bench.decoration.resources = resources;
        bench.decoration.resource_count = COUNT(resources);
        CHECK_OK(decorate(&bench));
        CHECK_EQ(at(&bench, TEMPLATE, "corset.dev/warning"),
                 STR("⚠️ This Resource is managed by *web* ⚠️"));
        CHECK_EQ(at(&bench, TEMPLATE, "web-config.default.configmap.web.corset.dev/uuid"),
                 STR("u-9"));
        CHECK_EQ(at(&bench, TEMPLATE, "web-config.default.configmap.web.corset.dev/version"),
                 STR("48213"));
        CHECK_EQ(json_count(object_path(bench.object, TEMPLATE)), 5);
        CHECK(!json_get(object_path(bench.object, TEMPLATE),
                        STR("system:web.default.role.web.corset.dev/uuid")));
        CHECK_EQ(at(&bench, "spec.template.metadata.labels", "corset.dev/operator-controller"),
                 STR("web"));
        CHECK_EQ(at(&bench, "spec.template.metadata.labels", "corset.dev/operator-version"),
                 STR("v1.0"));
        CHECK_EQ(at(&bench, "spec.template.metadata.labels", "app"), STR("x"));
    }
}

TEST(long_names_in_templates_are_shortened)
{
    SCOPED(bench) bench;
    SCOPED(buf) name = {.limit = 0};
    SCOPED(arena) arena = {0};
    const struct json_value *value;
    for (size_t i = 0; i < 240; i++)
        buf_add_char(&name, 'n');
    OWNED(object) config = read(arena_print(&arena, RESOURCE("ConfigMap", "%s"), buf_c(&name)).ptr);
    const struct object *const resources[] = {config};
    bench_init(&bench, WORKLOAD("Deployment"));
    bench.decoration.resources = resources;
    bench.decoration.resource_count = 1;
    CHECK_OK(decorate(&bench));
    CHECK_EQ(json_count(object_path(bench.object, TEMPLATE)), 3);
    JSON_FOREACH (key, value, object_path(bench.object, TEMPLATE))
        CHECK(key.len < 253);
}

TEST(other_kinds_have_no_template)
{
    SCOPED(bench) bench;
    bench_init(&bench,
               "{\"apiVersion\":\"x.dev/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":"
               "\"a\",\"namespace\":\"default\"}}");
    CHECK_OK(decorate(&bench));
    CHECK(!object_path(bench.object, "spec"));
}

TEST(markers_are_written_over_what_is_there)
{
    SCOPED(bench) bench;
    const struct checksum_annotation_parent parent = {STR("default"), STR("apps.corset.dev"),
                                                      STR("Web"), STR("w1"), STR("7")};
    bench_init(&bench, MAP(",\"annotations\":{\"default.web.checksum.corset.dev/w1\":\"x\","
                           "\"corset.dev/version\":\"v2\"}"));
    const struct checksum_annotation_set annotations =
        checksum_annotation_set_new(&bench.arena, STR("corset.dev"), &parent, 1);
    bench.decoration.annotations = &annotations;
    CHECK_OK(decorate(&bench));
    CHECK_EQ(at(&bench, "metadata.annotations", "default.web.checksum.corset.dev/w1"), STR("7"));
    CHECK_EQ(at(&bench, "metadata.annotations", "version.checksum.corset.dev/applied"), STR("v2"));
}

TEST(fw_60_the_wire_has_no_nulls)
{
    OWNED(object)
    full = read(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"uid\":\"u\","
        "\"creationTimestamp\":null},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":null}],"
        "\"x\":{\"y\":null}},\"status\":{}}");
    OWNED(object) wire = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(object_decoration_for_wire(full, &wire));
    object_write(&text, wire);
    CHECK_EQ(buf_str(&text), STR("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                 "\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\"}],\"x\":{}}}"));
}
