/*
 * What the author of a definition or of an object controls costs in proportion to its size. Each
 * row is made at one size and at four times that size; the work is measured as CPU time of this
 * thread, the least of some runs, so that a busy machine does not matter. Four times as much may
 * cost eight times as much at most; what grows with the square costs sixteen times as much.
 */
#include <time.h>

#include "apiserver/crd/crd_fixture_test.h"

#define FACTOR 4
#define LIMIT  8
#define RUNS   3

typedef void write_fn(struct buf *out, size_t size);

struct growth {
    const char *name;
    size_t size;
    write_fn *schema; /* of spec */
    write_fn *spec;   /* of an object; NULL: {} */
    write_fn *more;   /* members of the version, each with a comma before it; may be NULL */
};

static void repeat(struct buf *out, size_t count, const char *between, const char *format)
{
    for (size_t i = 0; i < count; i++) {
        buf_add(out, str_from_c(i ? between : ""));
        for (const char *c = format; *c; c++)
            if (*c == '#')
                buf_print(out, "%zu", i);
            else
                buf_add_char(out, *c);
    }
}

#define SCHEMA(id, before, between, unit, behind) \
    static void id(struct buf *out, size_t size)  \
    {                                             \
        buf_add(out, STR(before));                \
        repeat(out, size, between, unit);         \
        buf_add(out, STR(behind));                \
    }

SCHEMA(any_schema, "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true", "", "",
       "}")
SCHEMA(closed_schema, "{\"type\":\"object\"", "", "", "}")
SCHEMA(enum_schema,
       "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\",\"items\":{"
       "\"type\":\"string\",\"enum\":[",
       ",", "\"value-#\"", "]}}}}")
SCHEMA(enum_spec, "{\"list\":[", ",", "\"value-#\"", "]}")
SCHEMA(wrong_spec, "{\"list\":[", ",", "\"wrong-#\"", "]}")
SCHEMA(required_schema,
       "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,"
       "\"required\":[",
       ",", "\"m-#\"", "]}")
SCHEMA(members_spec, "{", ",", "\"m-#\":\"x\"", "}")
SCHEMA(properties_schema, "{\"type\":\"object\",\"properties\":{", ",",
       "\"m-#\":{\"type\":\"string\",\"default\":\"d\"}", "}}")
SCHEMA(set_schema,
       "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\","
       "\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}}}",
       "", "", "}")
SCHEMA(map_schema,
       "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\","
       "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"k\"],\"items\":{"
       "\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"type\":\"string\"}}}}}",
       "", "", "}")
SCHEMA(map_spec, "{\"list\":[", ",", "{\"k\":\"value-#\"}", "]}")
SCHEMA(keys_schema,
       "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\","
       "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[",
       ",", "\"k-#\"", "],\"items\":{\"type\":\"object\"}}}}")
SCHEMA(class_schema,
       "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
       "\"pattern\":\"^[",
       "", "a-z", "]*$\"}}}")
SCHEMA(brackets_schema,
       "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
       "\"pattern\":\"^[",
       "", "[:", "]*$\"}}}")
SCHEMA(classes_schema,
       "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
       "\"pattern\":\"",
       "", "[[:a]", "\"}}}")
SCHEMA(braces_schema,
       "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
       "\"pattern\":\"a",
       "", "{", "\"}}}")
SCHEMA(branches_schema,
       "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
       "\"pattern\":\"",
       "|", "a", "\"}}}")
SCHEMA(patterns_schema, "{\"type\":\"object\",\"properties\":{", ",",
       "\"m-#\":{\"type\":\"string\",\"pattern\":\"^([a-z]{0,63}){3}$\"}", "}}")
SCHEMA(
    text_schema,
    "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^(a|b|[a-f]){1,}$\"}}",
    "", "", "}")
SCHEMA(
    slow_schema,
    "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"(a?){1000}b\"}}",
    "", "", "}")
SCHEMA(text_spec, "{\"s\":\"", "", "a", "\"}")
SCHEMA(one_of_schema,
       "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,\"oneOf\":[", ",",
       "{\"required\":[\"m-#\"]}", "]}")
SCHEMA(rules_schema, "{\"type\":\"object\",\"x-kubernetes-validations\":[", ",",
       "{\"rule\":\"self.a + # > 1 && has(self.b)\"}", "]}")
SCHEMA(rule_schema, "{\"type\":\"object\",\"x-kubernetes-validations\":[{\"rule\":\"", " + ", "(1)",
       " > 0\"}]}")
SCHEMA(columns, ",\"additionalPrinterColumns\":[", ",",
       "{\"name\":\"c-#\",\"type\":\"string\",\"jsonPath\":\".spec.m-#\"}", "]")
SCHEMA(column, ",\"additionalPrinterColumns\":[{\"name\":\"c\",\"type\":\"string\",\"jsonPath\":\"",
       "", ".a", "\"}]")
SCHEMA(descent,
       ",\"additionalPrinterColumns\":[{\"name\":\"c\",\"type\":\"string\",\"jsonPath\":\""
       "..a",
       "", "", "\"}]")
SCHEMA(list_default,
       "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\",\"items\":{"
       "\"type\":\"object\",\"properties\":{\"d\":{\"type\":\"string\",\"default\":\"dd\"}}}}}",
       "", "", "}")
SCHEMA(empty_items, "{\"list\":[", ",", "{}", "]}")
SCHEMA(deep_name, "{\"type\":\"object\",\"properties\":{\"", "", "n",
       "\":{\"type\":\"object\",\"properties\":{")

static void pairs_schema(struct buf *out, size_t size)
{
    buf_add(out, STR("{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\","
                     "\"items\":{\"type\":\"object\",\"anyOf\":["));
    repeat(out, size / 10, ",", "{\"required\":[\"a-#\"]}");
    buf_add(out, STR("]}}}}"));
}

/* All of them are properties, and required. */
static void good_keys_schema(struct buf *out, size_t size)
{
    buf_add(out, STR("{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\","
                     "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":["));
    repeat(out, size, ",", "\"k-#\"");
    buf_add(out, STR("],\"items\":{\"type\":\"object\",\"required\":["));
    repeat(out, size, ",", "\"k-#\"");
    buf_add(out, STR("],\"properties\":{"));
    repeat(out, size, ",", "\"k-#\":{\"type\":\"string\"}");
    buf_add(out, STR("}}}}}"));
}

/* A long name around many properties. */
static void names_schema(struct buf *out, size_t size)
{
    deep_name(out, size * 10);
    repeat(out, size, ",", "\"m-#\":{\"type\":\"string\"}");
    buf_add(out, STR("}}}}"));
}

static const struct growth rows[] = {
    {"members that are not known",        4000,  closed_schema,     members_spec, NULL   },
    {"members that are kept",             4000,  any_schema,        members_spec, NULL   },
    {"values of an enum",                 500,   enum_schema,       enum_spec,    NULL   },
    {"values that are not in an enum",    300,   enum_schema,       wrong_spec,   NULL   },
    {"required members",                  1000,  required_schema,   members_spec, NULL   },
    {"required members that are absent",  1000,  required_schema,   NULL,         NULL   },
    {"properties and their defaults",     1000,  properties_schema, NULL,         NULL   },
    {"properties that are there",         1000,  properties_schema, members_spec, NULL   },
    {"a list that is a set",              2000,  set_schema,        enum_spec,    NULL   },
    {"a list that is a map",              2000,  map_schema,        map_spec,     NULL   },
    {"good keys of a list that is a map", 500,   good_keys_schema,  NULL,         NULL   },
    {"keys of a list that is a map",      1000,  keys_schema,       NULL,         NULL   },
    {"ranges of a class",                 2000,  class_schema,      NULL,         NULL   },
    {"brackets in a class",               3000,  brackets_schema,   NULL,         NULL   },
    {"classes with brackets",             1500,  classes_schema,    NULL,         NULL   },
    {"braces",                            7000,  braces_schema,     NULL,         NULL   },
    {"alternatives",                      2000,  branches_schema,   NULL,         NULL   },
    {"patterns",                          300,   patterns_schema,   NULL,         NULL   },
    {"a text and its pattern",            20000, text_schema,       text_spec,    NULL   },
    {"alternatives of a schema",          1000,  one_of_schema,     members_spec, NULL   },
    {"rules",                             300,   rules_schema,      NULL,         NULL   },
    {"a long rule",                       300,   rule_schema,       NULL,         NULL   },
    {"a long column",                     1000,  any_schema,        NULL,         column },
    {"a column that looks everywhere",    2000,  any_schema,        map_spec,     descent},
    {"defaults in a list",                2000,  list_default,      empty_items,  NULL   },
    {"paths of properties",               500,   names_schema,      NULL,         NULL   },
};

static int64_t cpu_now(void)
{
    struct timespec now;
    CHECK_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static void write_definition(struct buf *out, const struct growth *row, size_t size)
{
    buf_add(out, STR("{\"apiVersion\":\"apiextensions.k8s.io/v1\","
                     "\"kind\":\"CustomResourceDefinition\",\"metadata\":{\"name\":\"as.g.test\"},"
                     "\"spec\":{\"group\":\"g.test\",\"scope\":\"Namespaced\",\"names\":{"
                     "\"plural\":\"as\",\"singular\":\"a\",\"kind\":\"A\",\"listKind\":\"AList\"},"
                     "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
                     "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{"
                     "\"spec\":"));
    row->schema(out, size);
    buf_add(out, STR("}}}"));
    if (row->more)
        row->more(out, size);
    buf_add(out, STR("}]}}"));
}

static void write_thing(struct buf *out, const struct growth *row, size_t size)
{
    buf_add(out, STR("{\"apiVersion\":\"g.test/v1\",\"kind\":\"A\",\"metadata\":{\"name\":\"a\"},"
                     "\"spec\":"));
    if (row->spec)
        row->spec(out, size);
    else
        buf_add(out, STR("{}"));
    buf_add_char(out, '}');
}

/* The steps of a write, and what a list shows. Errors are as good as none: they cost, too. */
static void write_steps(const struct kind *kind, struct str text)
{
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) body = fixture_read(text);
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) prepared = NULL;
    SCOPED(json_builder) cells = {.limit = 0};
    OWNED(json_doc) shown = NULL;
    struct json_warnings unknown = {.arena = &arena};
    struct field_errors errors = {.arena = &arena};
    const struct kind_write write = {NULL, STR(""), STR("n"), FIXTURE_NOW, &arena, NULL};
    CHECK_OK(kind->ops->decode(kind, body, &unknown, &decoded));
    CHECK_OK(kind->ops->default_(kind, decoded, &filled));
    CHECK_OK(kind->ops->prepare(kind, &write, filled, &prepared));
    kind->ops->validate(kind, &write, json_doc_root(prepared), &errors);
    json_builder_array(&cells);
    kind->ops->cells(kind, json_doc_root(prepared), FIXTURE_NOW, &cells);
    json_builder_end(&cells);
    CHECK_OK(json_builder_finish(&cells, &shown));
}

/* A definition that is refused has no objects. */
static void run_row(struct str definition, struct str thing)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = fixture_read(definition);
    OWNED(json_doc) filled = NULL;
    OWNED(crd) crd = NULL;
    CHECK_OK(definition_default(doc, &filled));
    definition_validate(json_doc_root(filled), NULL, &errors);
    if (errors.count)
        return;
    CHECK_OK(crd_compile(json_doc_root(filled), NULL, &crd));
    write_steps(crd_kind(crd, 0), thing);
}

static int64_t measure(const struct growth *row, size_t size)
{
    SCOPED(buf) definition = {.limit = 0};
    SCOPED(buf) thing = {.limit = 0};
    int64_t least = INT64_MAX;
    write_definition(&definition, row, size);
    write_thing(&thing, row, size);
    for (int i = 0; i < RUNS; i++) {
        const int64_t begun = cpu_now();
        run_row(buf_str(&definition), buf_str(&thing));
        const int64_t took = cpu_now() - begun;
        least = took < least ? took : least;
    }
    return least;
}

TEST(definitions_and_objects_cost_in_proportion_to_their_size)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t small = measure(&rows[i], rows[i].size);
        const int64_t large = measure(&rows[i], rows[i].size * FACTOR);
        TEST_CASE("%s: %lld us, %zu times as many %lld us", rows[i].name,
                  (long long)(small / MICROSECOND), (size_t)FACTOR,
                  (long long)(large / MICROSECOND));
        CHECK(large <= LIMIT * small);
    }
}

/* What a schema and an object multiply to has a bound, and the object is refused. */
TEST(an_object_that_takes_too_long_to_validate_is_refused)
{
    static const struct growth cases[] = {
        {"a large program, a long text", 200000, slow_schema,  text_spec,   NULL},
        {"many elements, alternatives",  20000,  pairs_schema, empty_items, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) text = {.limit = 0};
        SCOPED(buf) thing = {.limit = 0};
        struct field_errors errors = {.arena = &arena};
        OWNED(crd) crd = NULL;
        TEST_CASE("%s", cases[i].name);
        write_definition(&text, &cases[i], cases[i].size);
        write_thing(&thing, &cases[i], cases[i].size);
        OWNED(json_doc) definition = fixture_read(buf_str(&text));
        OWNED(json_doc) object = fixture_read(buf_str(&thing));
        const struct kind_write write = {NULL, STR(""), STR("n"), FIXTURE_NOW, &arena, NULL};
        CHECK_OK(crd_compile(json_doc_root(definition), NULL, &crd));
        const struct kind *kind = crd_kind(crd, 0);
        kind->ops->validate(kind, &write, json_doc_root(object), &errors);
        CHECK(errors.count > 0);
        CHECK_CONTAINS(errors.items[errors.count - 1].body, STR("takes too long to validate"));
    }
}

TEST(a_definition_has_a_limited_number_of_columns)
{
    static const struct growth growth = {"columns", 65, closed_schema, NULL, columns};
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    write_definition(&text, &growth, growth.size);
    OWNED(json_doc) doc = fixture_read(buf_str(&text));
    OWNED(json_doc) definition = NULL;
    CHECK_OK(definition_default(doc, &definition));
    definition_validate(json_doc_root(definition), NULL, &errors);
    CHECK_EQ(errors.count, (size_t)1);
    CHECK_CONTAINS(errors.items[0].body, STR("must have at most 64 items"));
}
