#include "apiserver/types/protobuf_body.h"

#include "apimachinery/rows_test.h"
#include "base/base64.h"
#include "json/compare.h"

static void check_body(const struct json_value *row)
{
    SCOPED(buf) body = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    SCOPED(buf) expected = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(base64_decode(&body, json_path_str(row, "body")));
    CHECK_OK(protobuf_body_read(buf_str(&body), &doc));
    json_write_canonical(&seen, json_doc_root(doc));
    json_write_canonical(&expected, json_get(row, STR("json")));
    CHECK_EQ(buf_str(&seen), buf_str(&expected));
}

/* Bodies that kubectl sent, and some made for what these do not have. */
TEST(protobuf_body_read)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "protobuf/bodies.jsonl")
    {
        check_body(row);
        rows++;
    }
    CHECK_EQ(rows, (size_t)38);
}

/* Every body that ends early is refused or, cut between two fields, still an object. */
TEST(protobuf_body_cut_short)
{
    ROWS_FOREACH(row, "protobuf/bodies.jsonl")
    {
        SCOPED(buf) body = {.limit = 0};
        CHECK_OK(base64_decode(&body, json_path_str(row, "body")));
        for (size_t len = 0; len < body.len; len++) {
            OWNED(json_doc) doc = NULL;
            OWNED(error) err = protobuf_body_read(str_slice(buf_str(&body), 0, len), &doc);
            CHECK(err ? !doc : json_type(json_doc_root(doc)) == JSON_OBJECT);
        }
    }
}

#define BODY(bytes) STR("k8s\0" bytes)
#define CONFIG_MAP               \
    "\x0a\x0f\x0a\x02v1\x12\x09" \
    "ConfigMap"

TEST(protobuf_body_refuses)
{
    const struct {
        const char *name;
        struct str body;
        enum error_code code;
        const char *part;
    } cases[] = {
        {"nothing",            STR(""),                                                  ERROR_BAD_REQUEST,            "expected prefix [107 56 115 0]"},
        {"JSON",               STR("{}"),                                                ERROR_BAD_REQUEST,            "expected prefix [107 56 115 0]"},
        {"no kind",            BODY(""),                                                 ERROR_UNSUPPORTED_MEDIA_TYPE, "not accepted as protobuf"      },
        {"custom kind",
         BODY("\x0a\x0a\x0a\x03x/y\x12\x03"
              "Foo"),
         ERROR_UNSUPPORTED_MEDIA_TYPE,                                                                                 "x/y, Kind=Foo"                 },
        {"compressed",         BODY(CONFIG_MAP "\x1a\x04gzip"),                          ERROR_UNSUPPORTED_MEDIA_TYPE, "plain"                         },
        {"long length",        BODY("\x0a\xff\xff\xff\xff\x0f"),                         ERROR_BAD_REQUEST,            "malformed"                     },
        {"endless number",     BODY("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
         ERROR_BAD_REQUEST,                                                                                            "malformed"                     },
        {"field 0",            BODY(CONFIG_MAP "\x12\x02\x00\x01"),                      ERROR_BAD_REQUEST,            "malformed"                     },
        {"a group",            BODY(CONFIG_MAP "\x12\x01\x0b"),                          ERROR_BAD_REQUEST,            "malformed"                     },
        {"number as metadata", BODY(CONFIG_MAP "\x12\x02\x08\x01"),                      ERROR_BAD_REQUEST,
         "field metadata has wire type 0"                                                                                                              },
        {"text as truth",      BODY(CONFIG_MAP "\x12\x03\x22\x01x"),                     ERROR_BAD_REQUEST,
         "field immutable has wire type 2"                                                                                                             },
        {"number in a map",    BODY(CONFIG_MAP "\x12\x02\x10\x01"),                      ERROR_BAD_REQUEST,
         "field data has wire type 0"                                                                                                                  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct json_doc *doc = NULL;
        CHECK_FAILS(protobuf_body_read(cases[i].body, &doc), cases[i].code, cases[i].part);
    }
}

/* Makes a field out of the message: what stands before it, the last byte of its tag, its length. */
static void wrap(struct buf *inner, struct str head, unsigned tag)
{
    SCOPED(buf) outer = {.limit = 0};
    buf_add(&outer, head);
    buf_add_char(&outer, (char)tag);
    for (size_t len = inner->len; len; len >>= 7)
        buf_add_char(&outer, (char)((len & 127) | (len > 127 ? 128 : 0)));
    buf_add(&outer, buf_str(inner));
    buf_clear(inner);
    buf_add(inner, buf_str(&outer));
}

static struct error *read_nested_schema(size_t depth)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    buf_add(&body, STR("\x2a\x01x"));
    for (size_t i = 0; i < depth; i++)
        wrap(&body, STR("\xe2"), 0x01); /* not */
    wrap(&body, STR(""), 0x0a);         /* openAPIV3Schema */
    wrap(&body, STR(""), 0x22);         /* schema */
    wrap(&body, STR(""), 0x3a);         /* versions */
    wrap(&body, STR(""), 0x12);         /* spec */
    wrap(&body,
         BODY("\x0a\x33\x0a\x17"
              "apiextensions.k8s.io/v1\x12\x18"
              "CustomResourceDefinition"),
         0x12);
    return protobuf_body_read(buf_str(&body), &doc);
}

/* Only a schema can hold itself, so that a body decides how deep it is. */
TEST(protobuf_body_depth_is_limited)
{
    CHECK_OK(read_nested_schema(900));
    CHECK_FAILS(read_nested_schema(1000), ERROR_BAD_REQUEST, "nested too deep");
}

static void check_json(const char *name, struct str body, const char *json)
{
    TEST_CASE("%s", name);
    SCOPED(buf) seen = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(protobuf_body_read(body, &doc));
    json_write(&seen, json_doc_root(doc));
    CHECK_EQ(buf_str(&seen), str_from_c(json));
}

#define HEAD "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\""

TEST(protobuf_body_takes)
{
    check_json("no object", BODY(CONFIG_MAP), HEAD "}");
    check_json("unknown fields", BODY(CONFIG_MAP "\x12\x05\xa0\x06\x01\x20\x01"),
               HEAD ",\"immutable\":true}");
    check_json("false that is there", BODY(CONFIG_MAP "\x12\x02\x20\x00"),
               HEAD ",\"immutable\":false}");
    check_json("entries apart",
               BODY(CONFIG_MAP "\x12\x0c\x12\x03\x0a\x01"
                               "a"
                               "\x20\x01"
                               "\x12\x03\x0a\x01"
                               "b"),
               HEAD ",\"data\":{\"a\":\"\",\"b\":\"\"},\"immutable\":true}");
    check_json("an entry without a key", BODY(CONFIG_MAP "\x12\x02\x12\x00"),
               HEAD ",\"data\":{\"\":\"\"}}");
}
