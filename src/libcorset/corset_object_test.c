#include "libcorset/library_internal.h"
#include "testing/test.h"

DEFINE_OWNED(corset_object)
DEFINE_OWNED(corset_error)

static const char example[] = "apiVersion: apps/v1\n"
                              "kind: Deployment\n"
                              "metadata:\n"
                              "  name: web\n"
                              "  labels: {app.kubernetes.io/name: web, tier: front}\n"
                              "spec:\n"
                              "  replicas: 3\n"
                              "  ratio: 0.5\n"
                              "  paused: true\n"
                              "  nothing: null\n"
                              "  list: [{a: first}, {a: second}]\n"
                              "status:\n"
                              "  conditions: [{type: Ready, status: \"True\"}]\n";

TEST(objects_are_read_by_path)
{
    OWNED(corset_object) object = corset_object_from_yaml(NULL, example);
    CHECK(!corset_object_problem(object));
    CHECK_EQ(corset_object_api_version(object), "apps/v1");
    CHECK_EQ(corset_object_kind(object), "Deployment");
    CHECK_EQ(corset_object_name(object), "web");
    CHECK_EQ(corset_object_namespace(object), "");
    CHECK_EQ(corset_object_string(object, "spec.list.1.a", "-"), "second");
    CHECK_EQ(corset_object_string(object, "spec.list.2.a", "-"), "-");
    CHECK_EQ(corset_object_string(object, "spec.replicas", "-"), "-");
    CHECK_EQ(corset_object_string(object, "metadata.labels.app\\.kubernetes\\.io/name", "-"),
             "web");
    CHECK_EQ(corset_object_label(object, "app.kubernetes.io/name"), "web");
    CHECK_EQ(corset_object_annotation(object, "app.kubernetes.io/name"), "");
    CHECK_EQ(corset_object_int(object, "spec.replicas", 1), 3);
    CHECK_EQ(corset_object_int(object, "spec.ratio", 1), 1);
    CHECK_EQ(corset_object_double(object, "spec.ratio", 1), 0.5);
    CHECK_EQ(corset_object_bool(object, "spec.paused", false), true);
    CHECK_EQ(corset_object_bool(object, "spec.other", true), true);
    CHECK_EQ(corset_object_has(object, "spec.list"), true);
    CHECK_EQ(corset_object_has(object, "spec.nothing"), false);
    CHECK_EQ(corset_object_count(object, "spec.list"), 2);
    CHECK_EQ(corset_object_count(object, "metadata.labels"), 2);
    CHECK_EQ(corset_object_key(object, "metadata.labels", 1), "tier");
    CHECK(!corset_object_key(object, "metadata.labels", 2));
    CHECK(!corset_object_key(object, "spec.list", 0));
    CHECK_EQ(corset_object_json(object, "spec.list.0"), "{\"a\":\"first\"}");
    CHECK(!corset_object_json(object, "spec.absent"));
    CHECK_EQ(corset_object_condition(object, "Ready"), "True");
    CHECK_EQ(corset_object_condition(object, "Other"), "Unknown");
}

TEST(objects_are_changed_by_path)
{
    OWNED(corset_object) owner = corset_object_from_yaml(NULL, example);
    OWNED(corset_object) object = corset_object_from_yaml(NULL, "{kind: A, old: 1, b: {c: 2}}");
    corset_object_set_string(object, "metadata.name", "x");
    corset_object_set_string(object, "data.index\\.html", "<p>\"'\n: {}</p>");
    corset_object_set_int(object, "n", -5);
    corset_object_set_bool(object, "t", true);
    corset_object_set_format(object, "f", "%d%%", 7);
    corset_object_set_yaml(object, "map", "{a: [1, two]}");
    corset_object_append_yaml(object, "map.a", "3");
    corset_object_append_yaml(object, "new", "x: z");
    corset_object_copy(object, "copied", owner, "spec.list");
    corset_object_copy(object, "never", owner, "spec.absent");
    corset_object_set_string(object, "nor", NULL);
    corset_object_set_label(object, "a.b/c", "d");
    corset_object_set_annotation(object, "e.f/g", "h");
    corset_object_remove(object, "old");
    corset_object_remove(object, "absent.too");
    CHECK(!corset_object_problem(object));
    CHECK_EQ(corset_object_json(object, ""),
             "{\"kind\":\"A\",\"b\":{\"c\":2},\"metadata\":{\"name\":\"x\",\"labels\":{\"a.b/c\":"
             "\"d\"},\"annotations\":{\"e.f/g\":\"h\"}},\"data\":{\"index.html\":\"<p>\\\"'\\n: "
             "{}</p>\"},\"n\":-5,\"t\":true,\"f\":\"7%\",\"map\":{\"a\":[1,\"two\",3]},\"new\":[{"
             "\"x\":\"z\"}],\"copied\":[{\"a\":\"first\"},{\"a\":\"second\"}]}");
}

TEST(texts_of_an_object_outlive_its_changes)
{
    OWNED(corset_object) object = corset_object_from_yaml(NULL, "{a: first, nul: \"x\\0y\"}");
    const char *text = corset_object_string(object, "a", "-");
    corset_object_set_string(object, "a", "second");
    CHECK_EQ(corset_object_string(object, "a", "-"), "second");
    CHECK_EQ(text, "first");
    CHECK_EQ(corset_object_string(object, "nul", "-"), "-");
    OWNED(corset_object) clone = corset_object_clone(NULL, object);
    corset_object_set_string(clone, "a", "third");
    CHECK_EQ(corset_object_string(clone, "a", "-"), "third");
    CHECK_EQ(corset_object_string(object, "a", "-"), "second");
}

TEST(long_texts_are_not_cut)
{
    enum { LENGTH = 100000 };
    static char text[LENGTH + 1];
    OWNED(corset_object) object = corset_object_from_yaml(NULL, "{}");
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (char)('a' + i % 26);
    corset_object_set_format(object, "a", "%s!", text);
    corset_object_set_format(object, "b", "%s", "");
    CHECK_EQ(strlen(corset_object_string(object, "a", "")), LENGTH + 1);
    CHECK_EQ(corset_object_string(object, "b", "-"), "");
}

TEST(the_first_problem_of_an_object_stays)
{
    const struct {
        const char *text, *path, *value, *part;
    } cases[] = {
        {"a: [", "b",       "1", "read an object"         },
        {"- a",  "b",       "1", ""                       },
        {"",     "b",       "1", ""                       },
        {"a: 1", "a.b",     "1", "change an object"       },
        {"a: 1", "",        "1", "the whole object cannot"},
        {"a: 1", "x\\.y.z", "1", "only its last name"     },
        {"a: 1", "b",       "[", "read a value for b"     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("'%s' %s", cases[i].text, cases[i].path);
        OWNED(corset_object) object = corset_object_from_yaml(NULL, cases[i].text);
        struct object *used = NULL;
        corset_object_set_yaml(object, cases[i].path, cases[i].value);
        corset_object_set_yaml(object, "later", "[");
        CHECK(corset_object_problem(object));
        CHECK_CONTAINS(str_from_c(corset_error_message(corset_object_problem(object))),
                       str_from_c(cases[i].part));
        OWNED(error) err = library_use(object, &used);
        CHECK(err && !used);
        OWNED(corset_object) clone = corset_object_clone(NULL, object);
        CHECK(corset_object_problem(clone));
    }
}

TEST(ready_made_checks)
{
    const struct {
        const char *text;
        enum corset_readiness strict;
    } cases[] = {
        {"{kind: A}",                                                        CORSET_IN_PROGRESS},
        {"{kind: A, status: {conditions: [{type: Ready, status: 'True'}]}}", CORSET_READY      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *reason = NULL, *message = NULL;
        OWNED(corset_object) object = corset_object_from_yaml(NULL, cases[i].text);
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(corset_check_always(NULL, NULL, object, &reason, &message), CORSET_READY);
        CHECK(!reason && !message);
        CHECK_EQ(corset_check_strict(NULL, NULL, object, &reason, &message), cases[i].strict);
        CHECK(reason && message);
    }
}

TEST(errors_keep_their_class)
{
    OWNED(corset_error)
    late = corset_error_wrap(
        corset_retry_later(corset_error_new("no %s", "answer"), "busy", 1500, "server %d", 7),
        "ask");
    CHECK_EQ(corset_error_class(late), CORSET_RETRY_LATER);
    CHECK_EQ(corset_error_message(late), "ask: server 7: no answer");
    OWNED(corset_error) dead = corset_unrecoverable(NULL, "invalidSpec", "%s", "100% wrong");
    CHECK_EQ(corset_error_class(dead), CORSET_UNRECOVERABLE);
    CHECK_EQ(corset_error_message(dead), "100% wrong");
    OWNED(corset_error) plain = corset_error_new("plain");
    CHECK_EQ(corset_error_class(plain), CORSET_UNCLASSIFIED);
    OWNED(corset_error) joined = corset_error_join(corset_error_new("a"), corset_error_new("b"));
    CHECK_EQ(corset_error_message(joined), "a; b");
    CHECK(!corset_error_wrap(NULL, "nothing"));
    OWNED(corset_error)
    missing = (struct corset_error *)error_new(ERROR_NOT_FOUND, "pods \"a\" not found");
    CHECK_EQ(corset_error_code(missing), "NotFound");
    CHECK_EQ(corset_error_is(missing, "NotFound"), true);
    CHECK_EQ(corset_error_is(missing, "Conflict"), false);
    CHECK_EQ(corset_error_is(NULL, "NotFound"), false);
}

TEST(a_process_without_controllers_says_so)
{
    OWNED(corset_error) none = corset_manager_run(&(struct corset_manager_options){0});
    CHECK_EQ(corset_error_message(none), "there are no controllers to run");
    const struct corset_controller nameless = {.kind = "A"};
    const struct corset_controller *controllers[] = {&nameless};
    OWNED(corset_error)
    wrong = corset_manager_run(
        &(struct corset_manager_options){.controllers = controllers, .controller_count = 1});
    CHECK_EQ(corset_error_message(wrong), "controller 0 has no name");
    CHECK_EQ(corset_version(), "0.2.0");
}

static int run_main(const char *const *arguments)
{
    int count = 0;
    while (arguments[count])
        count++;
    return corset_main(count, (char **)arguments, &(struct corset_manager_options){0});
}

TEST(wrong_flags_are_wrong_usage)
{
    const char *const cases[] = {"--kubeconfig",
                                 "--no-such-flag",
                                 "word",
                                 "--v=x",
                                 "--v=-1",
                                 "--leader-elect=maybe",
                                 "--leader-elect-retry-period=2",
                                 "--kube-api-qps=many",
                                 "--logging-format=xml"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i]);
        CHECK_EQ(run_main((const char *const[]){"program", cases[i], NULL}), 2);
    }
    const char *const fine[] = {"program", "--kubeconfig",   "/nowhere", "--v",
                                "2",       "--leader-elect", NULL};
    CHECK_EQ(run_main(fine), 3); /* there are no controllers */
    CHECK_EQ(run_main((const char *const[]){"program", "--help", NULL}), 0);
}
