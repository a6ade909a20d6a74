#include "cmd/plan_render.h"

#include "clusterresourceset/preview/preview.h"
#include "clusterresourceset/preview/preview_secrets.h"
#include "testing/test.h"

#define PASSWORD "hunter2"

struct scene {
    struct preview preview;
    struct preview_secrets secrets;
    struct buf out;
};

static void scene_done(struct scene *scene)
{
    preview_done(&scene->preview);
    preview_secrets_done(&scene->secrets);
    buf_done(&scene->out);
}

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

static struct preview_object named(const char *kind, enum preview_sign sign)
{
    return (struct preview_object){.set = STR("cni"),
                                   .resource = STR("ConfigMap cm1"),
                                   .api_version = STR("v1"),
                                   .kind = str_from_c(kind),
                                   .namespace = STR("kube-system"),
                                   .name = STR("cni"),
                                   .sign = sign};
}

static void add_changed(struct scene *scene, struct preview_result *result, const char *kind,
                        const char *before, const char *after)
{
    struct preview_object object = named(kind, PREVIEW_CHANGED);
    OWNED(object) old = read_object(before);
    OWNED(object) new = read_object(after);
    object.is_secret = str_eq(object.kind, STR("Secret"));
    preview_changes_find(object_root(old), object_root(new),
                         object.is_secret ? &scene->secrets : NULL, &result->arena,
                         &object.changes);
    preview_result_add(result, &object);
}

static void add_created(struct preview_result *result, const char *kind, const char *manifest)
{
    struct preview_object object = named(kind, PREVIEW_CREATED);
    OWNED(object) created = read_object(manifest);
    object.manifest = created;
    object.is_secret = str_eq(object.kind, STR("Secret"));
    preview_result_add(result, &object);
}

static void add_told(struct preview_result *result, enum preview_sign sign, const char *text)
{
    struct preview_object object = named("DaemonSet", sign);
    object.text = str_from_c(text);
    preview_result_add(result, &object);
}

static void finish(struct scene *scene, size_t from, size_t count, struct preview_result *result)
{
    for (size_t i = 0; i < count; i++) {
        SCOPED(buf) name = {.limit = 0};
        struct preview_result *copy = preview_result_new();
        buf_print(&name, "c%zu", from + i);
        for (size_t j = 0; j < result->count; j++)
            preview_result_add(copy, &result->objects[j]); /* texts live as long as the first */
        CHECK_OK(preview_add(&scene->preview, (struct key){STR("ns"), buf_str(&name)}, copy));
    }
}

enum form { FORM_TABLE, FORM_DIFF, FORM_JSON };

static struct str render(struct scene *scene, enum form form)
{
    SCOPED(plan_render) render = {.preview = &scene->preview, .secrets = &scene->secrets};
    buf_clear(&scene->out);
    if (form == FORM_TABLE)
        plan_render_table(&render, &scene->out);
    else if (form == FORM_DIFF)
        plan_render_diff(&render, &scene->out);
    else
        CHECK_OK(plan_render_json(&render, &scene->out));
    return buf_str(&scene->out);
}

#define MAP(value) \
    "{\"data\":{\"mtu\":\"" value "\"},\"spec\":{\"l\":[{\"name\":\"x\",\"v\":\"" value "\"}]}}"

TEST(a_plan_as_a_table)
{
    SCOPED(scene) scene = {0};
    OWNED(preview_result) many = preview_result_new();
    OWNED(preview_result) few = preview_result_new();
    OWNED(preview_result) none = preview_result_new();
    OWNED(error) timeout = error_new(ERROR_DEADLINE, "no answer");
    add_changed(&scene, many, "ConfigMap", MAP("1440"), MAP("1450"));
    add_created(many, "Secret", "{\"data\":{\"k\":\"" PASSWORD "\"}}");
    add_told(few, PREVIEW_REFUSED, "spec.updateStrategy owned by ops-controller; would be taken");
    add_told(few, PREVIEW_UNKNOWN, "its kind comes with the same set");
    finish(&scene, 1, 1200, many);
    finish(&scene, 2001, 1, few);
    finish(&scene, 3001, 14, none);
    for (size_t i = 0; i < 7; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "d%zu", i);
        preview_add_silence(&scene.preview, (struct key){STR("ns"), buf_str(&name)}, timeout);
    }
    scene.preview.left_out = 3;
    preview_sort(&scene.preview);
    CHECK_EQ(
        render(&scene, FORM_TABLE),
        STR("1,200 clusters  cni: ~ v1 ConfigMap kube-system/cni   data.mtu: \"1440\" -> \"1450\"\n"
            "                cni: ~ v1 ConfigMap kube-system/cni   spec.l[x].v: \"1440\" -> \"1450\"\n"
            "                cni: + v1 Secret kube-system/cni\n"
            "    1 cluster   cni: ! v1 DaemonSet kube-system/cni   spec.updateStrategy owned by "
            "ops-controller; would be taken\n"
            "                cni: ? v1 DaemonSet kube-system/cni   its kind comes with the same set\n"
            "   14 clusters  no change\n"
            "    3 clusters  not asked, because of --sample\n"
            "    7 clusters  not reachable: ns/d0 (timeout), ns/d1 (timeout), ns/d2 (timeout), "
            "ns/d3 (timeout), ns/d4 (timeout), …\n"));
}

TEST(values_in_a_table_are_short_and_show_what_differs)
{
    static const struct {
        const char *name, *before, *after, *line;
    } cases[] = {
        {"come and gone",      "{\"a\":\"x\"}",                                                    "{\"b\":true}",                                                                           "a: x -> (none)\n"   },
        {"numbers and texts",  "{\"a\":\"7\"}",                                                    "{\"a\":7}",                                                                              "a: \"7\" -> 7\n"    },
        {"an empty text",      "{\"a\":\"\"}",                                                     "{\"a\":\"x\"}",                                                                          "a: \"\" -> x\n"     },
        {"control characters", "{\"a\":\"x\"}",                                                    "{\"a\":\"\\u001b[31m\"}",                                                                "a: x -> \\x1b[31m\n"},
        {"a long beginning",
         "{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123456789 one\"}", "{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123456789 two\"}",
         "a: …1234567890123456789 one -> …1234567890123456789 two\n"                                                                                                                                          },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(scene) scene = {0};
        OWNED(preview_result) result = preview_result_new();
        TEST_CASE("%s", cases[i].name);
        add_changed(&scene, result, "ConfigMap", cases[i].before, cases[i].after);
        finish(&scene, 1, 1, result);
        CHECK_CONTAINS(render(&scene, FORM_TABLE), str_from_c(cases[i].line));
    }
}

TEST(a_plan_as_a_diff)
{
    SCOPED(scene) scene = {0};
    OWNED(preview_result) result = preview_result_new();
    OWNED(error) timeout = error_new(ERROR_DEADLINE, "no answer");
    add_changed(&scene, result, "ConfigMap",
                "{\"data\":{\"a\":\"x\",\"conf\":\"one\\ntwo\\nthree\\nfour\\n\"}}",
                "{\"data\":{\"b\":\"y\",\"conf\":\"one\\n2\\nthree\\nfour\\n\"}}");
    add_created(result, "Service",
                "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"cni\"},"
                "\"spec\":{\"port\":80}}");
    add_told(result, PREVIEW_UNKNOWN, "its kind comes with the same set");
    finish(&scene, 1, 6, result);
    preview_add_silence(&scene.preview, (struct key){STR("ns"), STR("d")}, timeout);
    preview_sort(&scene.preview);
    CHECK_EQ(render(&scene, FORM_DIFF),
             STR("# 6 clusters: ns/c1, ns/c2, ns/c3, ns/c4, ns/c5 and 1 more\n"
                 "--- v1 ConfigMap kube-system/cni\n"
                 "+++ v1 ConfigMap kube-system/cni (set cni, ConfigMap cm1)\n"
                 "-data.a: x\n"
                 "@@ data.conf, line 2 @@\n"
                 "-two\n"
                 "+2\n"
                 "+data.b: y\n"
                 "--- /dev/null\n"
                 "+++ v1 Service kube-system/cni (set cni, ConfigMap cm1)\n"
                 "+spec.port: 80\n"
                 "? v1 DaemonSet kube-system/cni (set cni): its kind comes with the same set\n"
                 "# not reachable: ns/d: no answer\n"));
}

/* The lines that are left of two texts, at every place where a line may be changed. */
TEST(lines_that_differ_are_shown_whole)
{
    static const struct {
        const char *name, *before, *after, *shown;
    } cases[] = {
        {"the first",             "a\\nb\\n",      "x\\nb\\n",      "@@ t, line 1 @@\n-a\n+x\n"  },
        {"the last",              "a\\nb\\n",      "a\\nx\\n",      "@@ t, line 2 @@\n-b\n+x\n"  },
        {"one more at the end",   "a\\nb\\n",      "a\\nb\\nc\\n",  "@@ t, line 3 @@\n+c\n"      },
        {"one more at the front", "a\\nb\\n",      "c\\na\\nb\\n",  "@@ t, line 1 @@\n+c\n"      },
        {"one less",              "a\\nb\\nc\\n",  "a\\nc\\n",      "@@ t, line 2 @@\n-b\n"      },
        {"the end of a line",     "a\\nbc\\nd\\n", "a\\nxc\\nd\\n", "@@ t, line 2 @@\n-bc\n+xc\n"},
        {"a line that repeats",   "a\\na\\n",      "a\\na\\na\\n",  "@@ t, line 3 @@\n+a\n"      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(scene) scene = {0};
        SCOPED(buf) before = {.limit = 0};
        SCOPED(buf) after = {.limit = 0};
        OWNED(preview_result) result = preview_result_new();
        TEST_CASE("%s", cases[i].name);
        buf_print(&before, "{\"t\":\"%s\"}", cases[i].before);
        buf_print(&after, "{\"t\":\"%s\"}", cases[i].after);
        add_changed(&scene, result, "ConfigMap", buf_c(&before), buf_c(&after));
        finish(&scene, 1, 1, result);
        CHECK(str_ends_with(render(&scene, FORM_DIFF), str_from_c(cases[i].shown)));
    }
}

TEST(a_plan_as_json)
{
    SCOPED(scene) scene = {0};
    OWNED(preview_result) result = preview_result_new();
    OWNED(json_doc) doc = NULL;
    add_changed(&scene, result, "ConfigMap", "{\"a\":1}", "{\"a\":\"2\"}");
    add_changed(&scene, result, "Secret", "{\"data\":{\"k\":\"x\"}}", "{\"data\":{\"k\":\"y\"}}");
    finish(&scene, 1, 2, result);
    preview_sort(&scene.preview);
    CHECK_OK(json_read(render(&scene, FORM_JSON), &doc));
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(
        buf_str(&text),
        STR("{\"groups\":[{\"count\":2,\"clusters\":[\"ns/c1\",\"ns/c2\"],\"objects\":[{\"sign\":"
            "\"~\",\"set\":\"cni\",\"resource\":\"ConfigMap cm1\",\"apiVersion\":\"v1\",\"kind\":"
            "\"ConfigMap\",\"namespace\":\"kube-system\",\"name\":\"cni\",\"changes\":[{\"path\":"
            "\"a\",\"before\":1,\"after\":\"2\"}]},{\"sign\":\"~\",\"set\":\"cni\",\"resource\":"
            "\"ConfigMap cm1\",\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"namespace\":"
            "\"kube-system\",\"name\":\"cni\",\"changes\":[{\"path\":\"data.k\",\"before\":"
            "\"(secret 1)\",\"after\":\"(secret 2)\"}]}]}],\"unchanged\":{\"count\":0,\"clusters\":"
            "[]},\"unreachable\":[],\"notAsked\":0}"));
}

/* Created and changed, in every form: numbers follow the order of the output, values never show. */
TEST(secrets_are_numbered_as_they_appear_in_every_form)
{
    SCOPED(scene) scene = {0};
    OWNED(preview_result) small = preview_result_new();
    OWNED(preview_result) large = preview_result_new();
    add_changed(&scene, small, "Secret", "{\"data\":{\"k\":\"" PASSWORD "\"}}",
                "{\"data\":{\"k\":\"" PASSWORD "3\"}}");
    add_changed(&scene, large, "Secret", "{\"data\":{\"k\":\"" PASSWORD "1\"}}",
                "{\"data\":{\"k\":\"" PASSWORD "3\"}}");
    add_created(large, "Secret",
                "{\"kind\":\"Secret\",\"stringData\":{\"k\":\"" PASSWORD
                "3\",\"l\":[{\"name\":\"" PASSWORD "\"}]},\"type\":\"" PASSWORD "\"}");
    finish(&scene, 1, 1, small);
    finish(&scene, 2, 3, large);
    preview_sort(&scene.preview);
    static const enum form forms[] = {FORM_TABLE, FORM_DIFF, FORM_JSON};
    for (size_t i = 0; i < COUNT(forms); i++) {
        TEST_CASE("form %zu", i);
        const struct str out = render(&scene, forms[i]);
        CHECK(!str_contains(out, STR(PASSWORD)));
        CHECK_CONTAINS(out, STR("(secret 1)"));
        CHECK_CONTAINS(out, STR("(secret 3)"));
        CHECK(!str_contains(out, STR("(secret 4)")));
    }
    CHECK_EQ(
        render(&scene, FORM_TABLE),
        STR("3 clusters  cni: ~ v1 Secret kube-system/cni   data.k: (secret 1) -> (secret 2)\n"
            "            cni: + v1 Secret kube-system/cni\n"
            "1 cluster   cni: ~ v1 Secret kube-system/cni   data.k: (secret 3) -> (secret 2)\n"));
    CHECK_CONTAINS(render(&scene, FORM_DIFF), STR("+stringData.k: (secret 2)\n"
                                                  "+stringData.l[0].name: (secret 3)\n"
                                                  "+type: (secret 3)\n"));
}
