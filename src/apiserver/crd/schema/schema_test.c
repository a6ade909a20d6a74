#include "apiserver/crd/schema/schema_fixture_test.h"
#include "base/buf.h"
#include "json/json.h"

/* One property x of a given schema, in a root that knows nothing else. */
static struct str with_x(struct buf *text, const char *x)
{
    buf_clear(text);
    buf_print(text, "{\"type\":\"object\",\"properties\":{\"x\":%s}}", x);
    return buf_str(text);
}

static void check_compile(struct str text, struct str expected)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) found = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = fixture_read(text);
    OWNED(schema) schema = schema_compile(json_doc_root(doc), STR("s"), &errors);
    CHECK_EQ(schema == NULL, expected.len > 0);
    field_errors_write(&found, &errors);
    CHECK_EQ(buf_str(&found), expected);
}

TEST(schema_compile_refuses_what_is_not_structural)
{
    /* clang-format off: texts of one row belong together */
    static const struct {
        const char *name, *x, *message;
    } cases[] = {
        {"crd-invalid-012: property without a type",                      "{}",
         "s.properties[x].type: Required value: must not be empty for specified object fields"                                                                                                                                                                                 },
        {"crd-invalid-013: unknown type",                                 "{\"type\":\"strange\"}",
         "s.properties[x].type: Unsupported value: \"strange\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\""                                                                                                                     },
        {"crd-invalid-014: array without items",                          "{\"type\":\"array\"}",
         "s.properties[x].items: Required value: must be specified"                                                                                                                                                                                                            },
        {"crd-invalid-015: default of the wrong type",                    "{\"type\":\"integer\",\"default\":\"a\"}",
         "s.properties[x].default: Invalid value: \"string\":  in body must be of type integer: \"string\""                                                                                                                                                                    },
        {"crd-invalid-016: default with unknown fields",
         "{\"type\":\"object\",\"default\":{\"z\":1}}",                                                                                    "s.properties[x].default: Invalid value: {\"z\":1}: must not have unknown fields"                                                   },
        {"crd-invalid-017: list-map without keys",
         "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"items\":{\"type\":\"object\"}}",                                        "s.properties[x].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"                    },
        {"crd-invalid-018: set of objects that are not atomic",
         "{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"object\"}}",                                        "s.properties[x].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set"},
        {"crd-invalid-019: additionalProperties and properties together",
         "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"additionalProperties\":{\"type\":\"string\"}}",
         "s.properties[x].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"                                                                                                                                                           },
        {"crd-invalid-020: bad pattern",                                  "{\"type\":\"string\",\"pattern\":\"(\"}",
         "s.properties[x].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`"                                                                                                                          },
        {"items without a type",                                          "{\"type\":\"array\",\"items\":{}}",
         "s.properties[x].items.type: Required value: must not be empty for specified array items"                                                                                                                                                                             },
        {"unique items",
         "{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"string\"}}",                                                      "s.properties[x].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"          },
        {"a shape inside of allOf",                                       "{\"type\":\"object\",\"allOf\":[{\"type\":\"object\"}]}",
         "s.properties[x].allOf[0].type: Forbidden: must be empty to be structural"                                                                                                                                                                                            },
        {"a list key that is no property",
         "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"k\"],\"items\":{\"type\":\"object\"}}",
         "s.properties[x].x-kubernetes-list-map-keys[0]: Invalid value: \"k\": entries must all be names of item properties"                                                                                                                                                   },
        {"int-or-string as it is usually written",
         "{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
         ""                                                                                                                                                                                                                                                                    },
        {"rules are kept",
         "{\"type\":\"integer\",\"x-kubernetes-validations\":[{\"rule\":\"self > 0\"}]}",                                                  ""                                                                                                                                  },
    };
    /* clang-format on */
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        check_compile(with_x(&text, cases[i].x), str_from_c(cases[i].message));
    }
}

/* Schemas that kube-apiserver 1.36 takes though one may doubt them. */
TEST(schema_compile_takes_what_kubernetes_takes)
{
    static const char *const cases[] = {
        "{\"type\":\"string\",\"x-kubernetes-int-or-string\":true}",
        "{\"type\":\"integer\",\"x-kubernetes-int-or-string\":true}",
        "{\"type\":\"string\",\"x-kubernetes-preserve-unknown-fields\":true}",
        "{\"type\":\"object\",\"additionalProperties\":false}",
        "{\"type\":\"object\",\"definitions\":{},\"patternProperties\":{},\"id\":\"\"}",
        "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\",\"default\":1}}",
        ("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
         "\"additionalProperties\":true}"),
        "{\"type\":\"string\",\"allOf\":[{\"additionalProperties\":false}]}",
        "{\"type\":\"integer\",\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
        ("{\"x-kubernetes-int-or-string\":true,\"allOf\":[{\"anyOf\":[{\"type\":\"integer\"},"
         "{\"type\":\"string\"}]},{\"maximum\":7}]}"),
    };
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i]);
        check_compile(with_x(&text, cases[i]), STR(""));
    }
    TEST_CASE("a root without a type");
    check_compile(STR("{\"x-kubernetes-preserve-unknown-fields\":true}"), STR(""));
}

/* And some that it refuses, with its words. */
TEST(schema_compile_refuses_what_kubernetes_refuses)
{
    static const struct {
        const char *schema, *message;
    } cases[] = {
        {"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
         "s.additionalProperties: Forbidden: must not be used at the root"                                                                                     },
        {"{\"type\":\"object\",\"nullable\":true}",
         "s.nullable: Forbidden: nullable cannot be true at the root"                                                                                          },
        {"{\"type\":\"object\",\"properties\":{\"kind\":{\"type\":\"integer\"}}}",
         "s.properties[kind].type: Invalid value: \"integer\": must be string"                                                                                 },
        {"{\"type\":\"object\",\"properties\":{\"metadata\":{\"type\":\"object\",\"properties\":"
         "{\"labels\":{\"type\":\"object\"}}}}}",                         "s.properties[metadata]: Forbidden: must not specify anything other than name and "
         "generateName, but metadata is implicitly specified"                                        },
        {"{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\",\"oneOf\":[{\"type\":"
         "\"integer\"},{\"type\":\"string\"}]}}}",                        "[s.properties[x].oneOf[0].type: Forbidden: must be empty to be structural, "
         "s.properties[x].oneOf[1].type: Forbidden: must be empty to be structural]"                },
        {"{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\",\"not\":{\"description\":"
         "\"d\"}}}}",                                                     "s.properties[x].not.description: Forbidden: must be empty to be structural"},
        {"{\"type\":\"object\",\"anyOf\":[{\"properties\":{\"metadata\":{}}}]}",
         "s.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context"                                                               },
        {"{\"type\":\"object\",\"properties\":{\"x\":{\"x-kubernetes-int-or-string\":true,"
         "\"x-kubernetes-preserve-unknown-fields\":true}}}",              "s.properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false "
         "if x-kubernetes-int-or-string is true"                                          },
        {"{\"type\":\"object\",\"properties\":{\"x\":{\"x-kubernetes-embedded-resource\":true,"
         "\"x-kubernetes-preserve-unknown-fields\":true}}}",              "s.properties[x].type: Required value: must be object if x-kubernetes-embedded-resource "
         "is true"                                                                        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].schema);
        check_compile(str_from_c(cases[i].schema), str_from_c(cases[i].message));
    }
}

TEST(schema_compile_refuses_a_root_that_is_no_object)
{
    TEST_CASE("crd-invalid-003: no type at the root");
    check_compile(STR("{\"properties\":{}}"),
                  STR("s.type: Required value: must not be empty at the root"));
    TEST_CASE("another type");
    check_compile(STR("{\"type\":\"string\"}"),
                  STR("s.type: Invalid value: \"string\": must be object at the root"));
    TEST_CASE("no schema");
    check_compile(STR("null"), STR("s: Required value"));
}

/* Deep schemas and documents cost memory, never stack. */
TEST(schema_takes_any_depth)
{
    SCOPED(buf) schema_text = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    const size_t depth = SCHEMA_DEPTH_MAX;
    for (size_t i = 0; i < depth; i++) {
        buf_add(&schema_text, STR("{\"type\":\"object\",\"properties\":{\"a\":"));
        buf_add(&text, STR("{\"a\":"));
    }
    buf_add(&schema_text, STR("{\"type\":\"string\",\"default\":\"d\"}"));
    buf_add(&text, STR("null"));
    for (size_t i = 0; i < depth; i++) {
        buf_add(&schema_text, STR("}}"));
        buf_add(&text, STR("}"));
    }
    OWNED(schema) schema = fixture_schema(buf_str(&schema_text));
    OWNED(json_doc) doc = fixture_read(buf_str(&text));
    OWNED(json_doc) filled = NULL;
    CHECK_OK(schema_default(schema, doc, &filled));
    CHECK(filled != doc);
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    schema_validate(schema, json_doc_root(filled), SCHEMA_OBJECT, &errors);
    CHECK_EQ(errors.count, 0);
}

TEST(schema_validate_keywords)
{
    /* clang-format off: texts of one row belong together */
    static const struct {
        const char *name, *x, *value, *message;
    } cases[] = {
        {"maximum, exclusive",                 "{\"type\":\"number\",\"maximum\":2.5,\"exclusiveMaximum\":true}",
         "2.5",                                                                                                                                                                                                                                                                              "x: Invalid value: 2.5: x in body should be less than 2.5"                                                                                   },
        {"int32",                              "{\"type\":\"integer\",\"format\":\"int32\"}",                                                                                                                                                                       "3000000000",
         "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in x"                                                                                                                                                                                                                                                                                                                                       },
        {"the greatest int64",                 "{\"type\":\"integer\",\"format\":\"int64\"}",                                                                                                                                                                       "9223372036854775807",
         ""                                                                                                                                                                                                                                                                                                                                                                                                                               },
        {"whole though written with a point",  "{\"type\":\"integer\"}",                                                                                                                                                                                            "2.0",                   ""                                                                                                                                           },
        {"a multiple of a whole number",       "{\"type\":\"integer\",\"multipleOf\":3}",                                                                                                                                                                           "7",
         "x: Invalid value: 7: x in body should be a multiple of 3"                                                                                                                                                                                                                                                                                                                                                                       },
        {"null is refused",                    "{\"type\":\"string\"}",                                                                                                                                                                                             "null",
         "x: Invalid value: \"null\": x in body must be of type string: \"null\""                                                                                                                                                                                                                                                                                                                                                         },
        {"null is allowed",                    "{\"type\":\"string\",\"nullable\":true}",                                                                                                                                                                           "null",                  ""                                                                                                                                           },
        {"characters are counted, not bytes",  "{\"type\":\"string\",\"maxLength\":2}",
         "\"\\u00e4\\u00e4\"",                                                                                                                                                                                                                                                               ""                                                                                                                                           },
        {"enum of numbers",                    "{\"type\":\"integer\",\"enum\":[1,2]}",                                                                                                                                                                             "3",
         "x: Unsupported value: 3: supported values: \"1\", \"2\""                                                                                                                                                                                                                                                                                                                                                                        },
        {"no additional properties",           "{\"type\":\"object\",\"additionalProperties\":false}",
         "{\"a\":1}",                                                                                                                                                                                                                                                                        "x: Invalid value: \"a\": x.a in body is a forbidden property"                                                                               },
        {"a type beside int-or-string",        "{\"type\":\"string\",\"x-kubernetes-int-or-string\":true}",
         "1",                                                                                                                                                                                                                                                                                ""                                                                                                                                           },
        {"additional properties",
         "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",                                                                                                                                                                                   "{\"a\":1,\"b\":\"c\"}",
         "x.b: Invalid value: \"string\": x.b in body must be of type integer: \"string\""                                                                                                                                                                                                                                                                                                                                                },
        {"anyOf: none",                        "{\"type\":\"integer\",\"anyOf\":[{\"minimum\":5},{\"maximum\":1}]}",                                                                                                                                                "3",
         "[<nil>: Invalid value: \"\": \"x\" must validate at least one schema (anyOf), x: Invalid value: 3: x in body should be greater than or equal to 5]"                                                                                                                                                                                                                                                                             },
        {"anyOf: one",                         "{\"type\":\"integer\",\"anyOf\":[{\"minimum\":5},{\"maximum\":3}]}",                                                                                                                                                "3",
         ""                                                                                                                                                                                                                                                                                                                                                                                                                               },
        {"allOf: one of two",                  "{\"type\":\"integer\",\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}",
         "3",                                                                                                                                                                                                                                                                                "[x: Invalid value: 3: x in body should be less than or equal to 2, <nil>: Invalid value: \"\": \"x\" must validate all the schemas (allOf)]"},
        {"not",                                "{\"type\":\"integer\",\"not\":{\"enum\":[3]}}",                                                                                                                                                                     "3",
         "<nil>: Invalid value: \"\": \"x\" must not validate the schema (not)"                                                                                                                                                                                                                                                                                                                                                           },
        {"format ipv4",                        "{\"type\":\"string\",\"format\":\"ipv4\"}",                                                                                                                                                                         "\"1.2.3\"",
         "x: Invalid value: \"1.2.3\": x in body must be of type ipv4: \"1.2.3\""                                                                                                                                                                                                                                                                                                                                                         },
        {"format cidr",                        "{\"type\":\"string\",\"format\":\"cidr\"}",                                                                                                                                                                         "\"10.0.0.0/33\"",
         "x: Invalid value: \"10.0.0.0/33\": x in body must be of type cidr: \"10.0.0.0/33\""                                                                                                                                                                                                                                                                                                                                             },
        {"format uuid",                        "{\"type\":\"string\",\"format\":\"uuid\"}",
         "\"38447720-b94d-420b-8c09-cea915887b6e\"",                                                                                                                                                                                                                                         ""                                                                                                                                           },
        {"format duration",                    "{\"type\":\"string\",\"format\":\"duration\"}",                                                                                                                                                                     "\"1h30m\"",             ""                                                                                                                                           },
        {"format byte",                        "{\"type\":\"string\",\"format\":\"byte\"}",                                                                                                                                                                         "\"a\"",
         "x: Invalid value: \"a\": x in body must be of type byte: \"a\""                                                                                                                                                                                                                                                                                                                                                                 },
        {"an unknown format",                  "{\"type\":\"string\",\"format\":\"poem\"}",                                                                                                                                                                         "\"a\"",                 ""                                                                                                                                           },
        {"crd-017: int-or-string",             "{\"x-kubernetes-int-or-string\":true}",                                                                                                                                                                             "true",
         "x: Invalid value: \"boolean\": x in body must be of type integer,string: \"boolean\""                                                                                                                                                                                                                                                                                                                                           },
        {"a list-map key with a default",
         "{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"p\",\"t\"],\"items\":{\"type\":\"object\",\"required\":[\"p\"],\"properties\":{\"p\":{\"type\":\"integer\"},\"t\":{\"type\":\"string\",\"default\":\"TCP\"}}}}",
         "[{\"p\":1},{\"p\":1,\"t\":\"TCP\"},{\"p\":1,\"t\":\"UDP\"}]",                                                                                                                                                                                                                      "x[1]: Duplicate value: {\"p\":1,\"t\":\"TCP\"}"                                                                                             },
        {"crd-cel-011: rules are not checked",
         "{\"type\":\"integer\",\"x-kubernetes-validations\":[{\"rule\":\"self > 0\"}]}",                                                                                                                                                                           "\"y\"",
         "[x: Invalid value: \"string\": x in body must be of type integer: \"string\", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]"                                                                                                                                                                                           },
        {"a kind that is none",
         "{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"x-kubernetes-preserve-unknown-fields\":true}",
         "{\"apiVersion\":\"v1\",\"kind\":\"\"}",                                                                                                                                                                                                                                            "x.kind: Invalid value: \"\": must not be empty"                                                                                             },
    };
    /* clang-format on */
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) object = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(schema) schema = fixture_schema(with_x(&text, cases[i].x));
        TEST_CASE("%s", cases[i].name);
        buf_clear(&object);
        buf_print(&object, "{\"x\":%s}", cases[i].value);
        fixture_check_errors(schema, buf_str(&object), SCHEMA_OBJECT, str_from_c(cases[i].message));
    }
}

TEST(schema_compile_bounds_its_depth)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    for (size_t i = 0; i < 2000; i++)
        buf_add(&text, STR("{\"not\":"));
    buf_add(&text, STR("{}"));
    for (size_t i = 0; i < 2000; i++)
        buf_add(&text, STR("}"));
    OWNED(json_doc) doc = fixture_read(buf_str(&text));
    OWNED(schema) schema = schema_compile(json_doc_root(doc), STR("s"), &errors);
    CHECK(!schema);
    CHECK_EQ(errors.items[errors.count - 1].body, STR("Forbidden: nests too deeply"));
}

/* Both report a change as a new document, and what is there otherwise as the same. */
static void check_doc(const struct json_doc *before, const struct json_doc *after,
                      const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, json_doc_root(after));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
    if (before == after)
        return;
    SCOPED(buf) old = {.limit = 0};
    json_write(&old, json_doc_root(before));
    CHECK(!str_eq(buf_str(&old), buf_str(&text)));
}

TEST(schema_prune)
{
    /* clang-format off: texts of one row belong together */
    static const struct {
        const char *name, *object, *expected, *unknown;
    } cases[] = {
        {"crd-012: unknown fields vanish",
         "{\"metadata\":{\"x\":1},\"spec\":{\"size\":3,\"bogus\":1,\"nested\":{\"zz\":1}},\"extra\":\"x\"}",
         "{\"metadata\":{\"x\":1},\"spec\":{\"size\":3,\"nested\":{}}}",                                                "extra spec.bogus spec.nested.zz "},
        {"crd-014: preserved, known children are pruned",
         "{\"spec\":{\"free\":{\"any\":{\"t\":[1,null]}},\"half\":{\"other\":1,\"known\":{\"x\":1,\"y\":2}}}}",
         "{\"spec\":{\"free\":{\"any\":{\"t\":[1,null]}},\"half\":{\"other\":1,\"known\":{\"x\":1}}}}",
         "spec.half.known.y "                                                                                                                             },
        {"crd-019: metadata of an embedded resource",
         "{\"spec\":{\"tpl\":{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"labels\":{\"a\":\"b\"},\"unknown\":1},\"z\":1}}}",
         "{\"spec\":{\"tpl\":{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"labels\":{\"a\":\"b\"}},\"z\":1}}}",
         "spec.tpl.metadata.unknown "                                                                                                                     },
        {"inside of items",                               "{\"spec\":{\"items\":[{\"k\":\"a\"},{\"q\":1}]}}",
         "{\"spec\":{\"items\":[{\"k\":\"a\"},{}]}}",                                                                   "spec.items[1].q "                },
        {"nothing to do",                                 "{\"spec\":{\"sel\":{\"any\":\"thing\"}}}",
         "{\"spec\":{\"sel\":{\"any\":\"thing\"}}}",                                                                    ""                                },
    };
    /* clang-format on */
    OWNED(schema) schema = fixture_schema(test_data("schema/gadget.json"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) paths = {.limit = 0};
        struct schema_unknown unknown = {.arena = &arena};
        OWNED(json_doc) doc = fixture_read(str_from_c(cases[i].object));
        OWNED(json_doc) pruned = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(schema_prune(schema, doc, &unknown, &pruned));
        check_doc(doc, pruned, cases[i].expected);
        for (size_t j = 0; j < unknown.count; j++)
            buf_print(&paths, "%.*s ", STR_ARG(unknown.paths[j]));
        CHECK_EQ(buf_str(&paths), str_from_c(cases[i].unknown));
        CHECK_EQ(doc == pruned, unknown.count == 0);
    }
}

TEST(schema_default)
{
    /* clang-format off: texts of one row belong together */
    static const struct {
        const char *name, *object, *expected;
    } cases[] = {
        {"missing fields, nested ones too",    "{\"spec\":{}}",
         "{\"spec\":{\"color\":\"red\",\"dn\":\"filled\",\"nested\":{\"a\":5},\"replicas\":1}}"                                                       },
        {"null is replaced, removed, or kept",
         "{\"spec\":{\"color\":null,\"size\":null,\"nul\":null,\"dn\":\"\",\"nested\":{\"a\":1},\"replicas\":0}}",
         "{\"spec\":{\"color\":\"red\",\"nul\":null,\"dn\":\"\",\"nested\":{\"a\":1},\"replicas\":0}}"                                                },
        {"inside of items",
         "{\"spec\":{\"items\":[{\"k\":\"a\"},{\"v\":1}],\"color\":\"red\",\"dn\":\"\",\"nested\":{\"a\":1},\"replicas\":0}}",
         "{\"spec\":{\"items\":[{\"k\":\"a\",\"v\":7},{\"v\":1}],\"color\":\"red\",\"dn\":\"\",\"nested\":{\"a\":1},\"replicas\":0}}"                 },
        {"nothing above is made",              "{\"kind\":\"Gadget\"}",                                                        "{\"kind\":\"Gadget\"}"},
    };
    /* clang-format on */
    OWNED(schema) schema = fixture_schema(test_data("schema/gadget.json"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = fixture_read(str_from_c(cases[i].object));
        OWNED(json_doc) filled = NULL;
        OWNED(json_doc) again = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(schema_default(schema, doc, &filled));
        check_doc(doc, filled, cases[i].expected);
        CHECK_OK(schema_default(schema, filled, &again));
        CHECK(again == filled);
    }
}

TEST(schema_shows_how_lists_merge)
{
    OWNED(schema) schema = fixture_schema(test_data("schema/gadget.json"));
    const struct schema_node *ports = fixture_node_at(schema, STR("spec.ports"));
    size_t count = 0;
    CHECK(schema_is_array(ports));
    CHECK_EQ((int)schema_list_type(ports), (int)SCHEMA_LIST_MAP);
    const struct str *keys = schema_list_keys(ports, &count);
    CHECK_EQ(count, 1);
    CHECK_EQ(keys[0], STR("port"));
    CHECK(schema_is_number(fixture_node_at(schema, STR("spec.ports[0].port"))));
    CHECK_EQ((int)schema_list_type(fixture_node_at(schema, STR("spec.tags"))),
             (int)SCHEMA_LIST_SET);
    CHECK_EQ((int)schema_list_type(fixture_node_at(schema, STR("spec.items"))),
             (int)SCHEMA_LIST_ATOMIC);
    CHECK(schema_is_int_or_string(fixture_node_at(schema, STR("spec.port"))));
    CHECK(schema_is_embedded_resource(fixture_node_at(schema, STR("spec.tpl"))));
    CHECK(fixture_node_at(schema, STR("spec.sel.anything")));
    CHECK(!fixture_node_at(schema, STR("spec.nothing.there")));
    CHECK_EQ(json_to_str(schema_default_value(fixture_node_at(schema, STR("spec.color")))),
             STR("red"));
}
