#include "json/yaml/yaml_write.h"

#include "json/yaml/manifest.h"
#include "testing/test.h"

static void write_text(struct buf *buf, struct str json)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(json, &doc));
    yaml_write(buf, json_doc_root(doc));
}

/* What was written is read as the same document. */
static void check_round_trip(const struct json_value *value)
{
    SCOPED(buf) yaml = {0};
    SCOPED(buf) before = {0};
    SCOPED(buf) after = {0};
    SCOPED(manifest_list) list = {0};
    yaml_write(&yaml, value);
    json_write(&before, value);
    CHECK_OK(manifest_read_stream(buf_str(&yaml), NULL, &list, NULL));
    CHECK_EQ(list.count, 1);
    json_write(&after, json_doc_root(list.docs[0]));
    CHECK_EQ(buf_str(&after), buf_str(&before));
}

TEST(yaml_write_looks_like_kubectl)
{
    SCOPED(buf) yaml = {0};
    write_text(&yaml, STR("{\"kind\": \"X\", \"metadata\": {\"name\": \"a b\", \"labels\": {}},"
                          "\"spec\": {\"list\": [{\"a\": 1, \"b\": [2, [3, 4], []]}, \"x\"],"
                          "\"script\": \"#!/bin/sh\\nexit\\n\", \"none\": null}}"));
    CHECK_EQ(buf_str(&yaml), STR("kind: X\n"
                                 "metadata:\n"
                                 "  name: a b\n"
                                 "  labels: {}\n"
                                 "spec:\n"
                                 "  list:\n"
                                 "  - a: 1\n"
                                 "    b:\n"
                                 "    - 2\n"
                                 "    - - 3\n"
                                 "      - 4\n"
                                 "    - []\n"
                                 "  - x\n"
                                 "  script: |\n"
                                 "    #!/bin/sh\n"
                                 "    exit\n"
                                 "  none: null\n"));
}

TEST(yaml_write_quotes_what_could_be_something_else)
{
    static const struct {
        const char *json, *yaml;
    } cases[] = {
        {"\"a\"",                            "a\n"                                 },
        {"\"kube-system\"",                  "kube-system\n"                       },
        {"\"/var/lib/x\"",                   "/var/lib/x\n"                        },
        {"\"registry.io/a/b:v1@sha:0\"",     "registry.io/a/b:v1@sha:0\n"          },
        {"\"\"",                             "\"\"\n"                              },
        {"\" a\"",                           "\" a\"\n"                            },
        {"\"a \"",                           "\"a \"\n"                            },
        {"\"a: b\"",                         "\"a: b\"\n"                          },
        {"\"a:\"",                           "\"a:\"\n"                            },
        {"\"a #b\"",                         "\"a #b\"\n"                          },
        {"\"yes\"",                          "\"yes\"\n"                           },
        {"\"Off\"",                          "\"Off\"\n"                           },
        {"\"y\"",                            "\"y\"\n"                             },
        {"\"NULL\"",                         "\"NULL\"\n"                          },
        {"\"~\"",                            "\"~\"\n"                             },
        {"\"1\"",                            "\"1\"\n"                             },
        {"\"0x1f\"",                         "\"0x1f\"\n"                          },
        {"\"1:30\"",                         "\"1:30\"\n"                          },
        {"\"2001-01-01\"",                   "\"2001-01-01\"\n"                    },
        {"\".inf\"",                         "\".inf\"\n"                          },
        {"\"-\"",                            "\"-\"\n"                             },
        {"\"---\"",                          "\"---\"\n"                           },
        {"\"<<\"",                           "\"<<\"\n"                            },
        {"\"=\"",                            "\"=\"\n"                             },
        {"\"*a\"",                           "\"*a\"\n"                            },
        {"\"{a}\"",                          "\"{a}\"\n"                           },
        {"\"%a\"",                           "\"%a\"\n"                            },
        {"\"a\\tb\"",                        "\"a\\tb\"\n"                         },
        {"\"a\\u0000\\u007f\\u0085\"",       "\"a\\x00\\x7f\\x85\"\n"              },
        {"\"\\u2028\\ufeff\\ud83d\\ude42\"", "\"\\u2028\\ufeff\xf0\x9f\x99\x82\"\n"},
        {"\"\\u001b[2J\\udb40\\udc01\"",     "\"\\x1b[2J\\U000e0001\"\n"           },
        {"true",                             "true\n"                              },
        {"null",                             "null\n"                              },
        {"1.5",                              "1.5\n"                               },
        {"[]",                               "[]\n"                                },
        {"{}",                               "{}\n"                                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) yaml = {0};
        TEST_CASE("%s", cases[i].json);
        write_text(&yaml, str_from_c(cases[i].json));
        CHECK_EQ(buf_str(&yaml), str_from_c(cases[i].yaml));
    }
}

TEST(yaml_write_is_read_back)
{
    static const char *const cases[] = {
        "{\"a\": \"b\\n\"}",
        "{\"a\": \"b\\n\\n\"}",
        "{\"a\": \"b\\nc\"}",
        "{\"a\": \"b\\n  \"}",
        "{\"a\": \"b\\n\\n  c\\n\\td\\n---\\n...\\n# e\\n\\n\\n\", \"z\": 1}",
        "{\"a\": \"\\nb\"}",
        "{\"a\": \" b\\nc\"}",
        "{\"a\": \"\\tb\\nc\"}",
        "{\"a\": \"b\\r\\nc\"}",
        "{\"a\": [\"b\\nc\\n\", [\"d\\ne\", {\"f\": \"g\\n\\n\"}], {}]}",
        "{\"\": \"\", \"null\": null, \"y\": true, \"1\": -1, \"a b\": [[[[]]], [{}]]}",
        "{\"a\\nb\": {\"c\": {\"d\": [1, 2.5, 1e21, 1e-7, -0.0, 9007199254740992]}}}",
        "{\"#a\": \"a # b\", \"? x\": \"- y\", \"k: v\": \"&anchor *alias !tag\"}",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[i]);
        CHECK_OK(json_read(str_from_c(cases[i]), &doc));
        check_round_trip(json_doc_root(doc));
    }
}

TEST(yaml_write_long_keys)
{
    SCOPED(buf) json = {0};
    OWNED(json_doc) doc = NULL;
    buf_add(&json, STR("{\"a\": [{"));
    for (int i = 0; i < 3; i++) {
        static const char *const values[] = {"{\"b\": 1}", "[1, {\"c\": 2}]", "\"x\\ny\""};
        buf_add_char(&json, '"');
        for (int j = 0; j < 3000; j++)
            buf_add_char(&json, (char)('a' + i));
        buf_print(&json, "\": %s, ", values[i]);
    }
    buf_add(&json, STR("\"end\": true}]}"));
    CHECK_OK(json_read(buf_str(&json), &doc));
    check_round_trip(json_doc_root(doc));
}

TEST(yaml_write_is_bounded_by_its_buffer)
{
    SCOPED(buf) json = {0};
    SCOPED(buf) yaml = {.limit = 64 * KILOBYTE};
    OWNED(json_doc) doc = NULL;
    for (int i = 0; i < 9000; i++)
        buf_add(&json, STR("{\"a\":"));
    buf_add_char(&json, '1');
    for (int i = 0; i < 9000; i++)
        buf_add_char(&json, '}');
    CHECK_OK(json_read(buf_str(&json), &doc));
    yaml_write(&yaml, json_doc_root(doc));
    CHECK_ERROR(buf_check(&yaml), ERROR_TOO_LARGE);
}

/* Every document that Kubernetes reads from the streams of the recorded answers. */
TEST(yaml_write_of_all_oracle_documents_is_read_back)
{
    struct str rest = test_data("oracle/yaml-docs.jsonl"), line;
    size_t documents = 0;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        OWNED(json_doc) row = NULL;
        CHECK_OK(json_read(line, &row));
        const struct str id = json_to_str(json_get(json_doc_root(row), STR("id")));
        const struct str text = json_to_str(json_get(json_doc_root(row), STR("yaml")));
        SCOPED(manifest_list) list = {0};
        OWNED(error) err = manifest_read_stream(text, NULL, &list, NULL);
        TEST_CASE("%.*s", STR_ARG(id));
        for (size_t i = 0; !err && i < list.count; i++, documents++)
            if (!json_get(json_doc_root(row), STR("count"))) /* too deep for indentation */
                check_round_trip(json_doc_root(list.docs[i]));
    }
    CHECK(documents > 200);
}
