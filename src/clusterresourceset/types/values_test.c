#include "clusterresourceset/types/values.h"

#include "base/buf.h"
#include "testing/test.h"

#define CLUSTER                                                                                 \
    "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{\"name\":" \
    "\"c1\",\"namespace\":\"ns\",\"labels\":{\"env\":\"prod\",\"empty\":\"\"},\"annotations\":" \
    "{\"n\":\"3\"}},\"spec\":{\"paused\":false,\"port\":6443,\"none\":null,\"net\":{\"cidrs\":" \
    "[\"10.0.0.0/16\"]}}}"

static void add(struct values *names, const char *text)
{
    struct value_token token;
    size_t at;
    CHECK(value_token_find(str_from_c(text), &token, &at));
    values_add(names, &token);
}

static struct object *read_cluster(struct str text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(text, &object));
    return object;
}

TEST(values_are_read_from_a_cluster)
{
    static const struct {
        const char *token;
        enum value_problem problem;
        const char *text;
    } cases[] = {
        {"((cluster.name))",                           VALUE_OK,        "c1"         },
        {"((cluster.namespace))",                      VALUE_OK,        "ns"         },
        {"((cluster.label \"env\"))",                  VALUE_OK,        "prod"       },
        {"((cluster.label \"empty\"))",                VALUE_OK,        ""           },
        {"((cluster.label \"other\"))",                VALUE_MISSING,   ""           },
        {"((cluster.annotation \"n\"))",               VALUE_OK,        "3"          },
        {"((cluster.annotation \"env\"))",             VALUE_MISSING,   ""           },
        {"((cluster.field \"/spec/net/cidrs/0\"))",    VALUE_OK,        "10.0.0.0/16"},
        {"((cluster.field \"/spec/net/cidrs/1\"))",    VALUE_MISSING,   ""           },
        {"((cluster.field \"/spec/net\"))",            VALUE_NO_SCALAR, ""           },
        {"((cluster.field \"/spec/net/cidrs\"))",      VALUE_NO_SCALAR, ""           },
        {"((cluster.field \"/spec/paused\"))",         VALUE_OK,        "false"      },
        {"((cluster.field \"/spec/port\"))",           VALUE_OK,        "6443"       },
        {"((cluster.field \"/spec/none\"))",           VALUE_MISSING,   ""           },
        {"((cluster.field \"spec/port\"))",            VALUE_MISSING,   ""           },
        {"((cluster.field \"/metadata/labels/env\"))", VALUE_OK,        "prod"       },
    };
    OWNED(object) cluster = read_cluster(STR(CLUSTER));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(values) names = {0};
        SCOPED(values) values = {0};
        TEST_CASE("%s", cases[i].token);
        add(&names, cases[i].token);
        values_read(&names, cluster, &values);
        CHECK_EQ(values.count, (size_t)1);
        CHECK_EQ((int)values.items[0].problem, (int)cases[i].problem);
        CHECK_EQ(values.items[0].text, str_from_c(cases[i].text));
        CHECK(values_find(&values, names.items[0].source, names.items[0].key) != NULL);
    }
}

TEST(values_have_limits)
{
    static const struct {
        size_t len;
        enum value_problem problem;
    } cases[] = {
        {VALUES_TEXT_MAX,     VALUE_OK      },
        {VALUES_TEXT_MAX + 1, VALUE_TOO_LONG},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        SCOPED(values) names = {0};
        SCOPED(values) values = {0};
        buf_add(&text, STR("{\"metadata\":{\"annotations\":{\"a\":\""));
        for (size_t j = 0; j < cases[i].len; j++)
            buf_add_char(&text, 'x');
        buf_add(&text, STR("\"}}}"));
        OWNED(object) cluster = read_cluster(buf_str(&text));
        TEST_CASE("%zu", cases[i].len);
        add(&names, "((cluster.annotation \"a\"))");
        values_read(&names, cluster, &values);
        CHECK_EQ((int)values.items[0].problem, (int)cases[i].problem);
    }
}

/* Each value is as long as it may be; the last ones are more than all may be together. */
TEST(values_of_a_cluster_are_limited_together)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(values) names = {0};
    SCOPED(values) values = {0};
    buf_add(&text, STR("{\"metadata\":{\"annotations\":{"));
    for (size_t i = 0; i < VALUES_COUNT_MAX + 2; i++) {
        SCOPED(buf) token = {.limit = 0};
        buf_print(&text, "%s\"a%zu\":\"%0*d\"", i ? "," : "", i, (int)VALUES_TEXT_MAX, 0);
        buf_print(&token, "((cluster.annotation \"a%zu\"))", i);
        add(&names, buf_c(&token));
        add(&names, buf_c(&token));
    }
    buf_add(&text, STR("}}}"));
    OWNED(object) cluster = read_cluster(buf_str(&text));
    CHECK_EQ(names.count, VALUES_COUNT_MAX);
    values_read(&names, cluster, &values);
    for (size_t i = 0; i < values.count; i++) {
        TEST_CASE("%zu", i);
        CHECK_EQ(values.items[i].problem == VALUE_TOO_MUCH,
                 i >= VALUES_TOTAL_MAX / VALUES_TEXT_MAX);
    }
    CHECK(!values_find(&values, VALUE_ANNOTATION, STR("a64")));
    CHECK(values_cover(&values, &names));
    CHECK(values_need_cluster(&names));
}

TEST(labels_and_names_are_known_without_the_cluster)
{
    SCOPED(values) names = {0};
    add(&names, "((cluster.label \"a\"))");
    add(&names, "((cluster.name))");
    add(&names, "((cluster.namespace))");
    CHECK(!values_need_cluster(&names));
    add(&names, "((cluster.field \"/spec/a\"))");
    CHECK(values_need_cluster(&names));
}

/* Of two Clusters, by names in one order or another. */
static struct str digest_of(const char *cluster, const char *first, const char *second, char *text)
{
    SCOPED(values) names = {0};
    SCOPED(values) values = {0};
    OWNED(object) object = read_cluster(str_from_c(cluster));
    add(&names, first);
    add(&names, second);
    values_sort(&names);
    values_read(&names, object, &values);
    return values_digest(&values, &names, text);
}

TEST(a_digest_is_another_for_other_values)
{
    const char *first = "((cluster.label \"a\"))", *second = "((cluster.label \"b\"))";
    const char *same = "{\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"9\"}}}";
    static const char *const others[] = {
        "{\"metadata\":{\"labels\":{\"a\":\"2\",\"b\":\"1\"}}}",
        "{\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"\"}}}",
        "{\"metadata\":{\"labels\":{\"a\":\"1\"}}}",
        "{\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"2\\n\"}}}",
    };
    char expected[VALUES_DIGEST_LEN + 1], text[VALUES_DIGEST_LEN + 1];
    digest_of("{\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}}", first, second, expected);
    CHECK_EQ(str_from_c(expected).len, (size_t)VALUES_DIGEST_LEN);
    CHECK_EQ(digest_of(same, second, first, text), str_from_c(expected));
    for (size_t i = 0; i < COUNT(others); i++) {
        TEST_CASE("%s", others[i]);
        CHECK(!str_eq(digest_of(others[i], first, second, text), str_from_c(expected)));
    }
}
