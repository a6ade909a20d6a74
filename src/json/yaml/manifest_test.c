#include "json/yaml/manifest.h"

#include "json/json.h"
#include "testing/test.h"

/*
 * All documents as JSON with a space between them, or the class of the error. Quotes are single
 * ones, which keeps the tables below readable.
 */
static struct str read_all(struct buf *out, struct str text, const struct manifest_options *options)
{
    SCOPED(manifest_list) list = {0};
    struct manifest_fault fault = {0};
    OWNED(error) err = manifest_read(text, options, &list, &fault);
    buf_clear(out);
    if (err)
        buf_add(out, manifest_error_name(fault.error));
    for (size_t i = 0; i < list.count; i++) {
        if (i > 0)
            buf_add_char(out, ' ');
        json_write(out, json_doc_root(list.docs[i]));
    }
    for (size_t i = 0; i < out->len; i++)
        if (out->ptr[i] == '"')
            out->ptr[i] = '\'';
    return buf_str(out);
}

struct row {
    const char *name, *text, *answer;
};

static void check_rows(const struct row *rows, size_t count)
{
    SCOPED(buf) out = {0};
    for (size_t i = 0; i < count; i++) {
        TEST_CASE("%s", rows[i].name);
        CHECK_EQ(read_all(&out, str_from_c(rows[i].text), NULL), str_from_c(rows[i].answer));
    }
}

static void add_times(struct buf *buf, size_t count, struct str piece)
{
    for (size_t i = 0; i < count; i++)
        buf_add(buf, piece);
}

TEST(manifest_read_tells_arrays_from_streams)
{
    const struct row rows[] = {
        {"an array of objects",    "[{\"a\":1}, {\"b\":2}]",     "{'a':1} {'b':2}"       },
        {"white space around it",  "\n \t[ {} \n]\n ",           "{}"                    },
        {"an empty array",         "[]",                         ""                      },
        {"numbers become doubles", "[{\"a\":9007199254740993}]", "{'a':9007199254740992}"},
        {"duplicate members",      "[{\"a\":1,\"a\":2}]",        "{'a':2}"               },
        {"a trailing comma",       "[{\"a\":1},]",               "json-list"             },
        {"flow syntax of YAML",    "[{a: 1}]",                   "json-list"             },
        {"another element",        "[{}, 5]",                    "json-list"             },
        {"a null element",         "[{}, null]",                 "json-list"             },
        {"no comma",               "[{} {}]",                    "json-list"             },
        {"no end",                 "[{}",                        "json-list"             },
        {"a separator behind",     "[{}]\n---\na: 1\n",          "json-list"             },
        {"invalid UTF-8",          "[{\"a\":\"\xff\"}]",         "json-list"             },
        {"a number too large",     "[{\"a\":1e999}]",            "json-list"             },
        {"a stream",               "a: 1\n---\nb: 2",            "{'a':1} {'b':2}"       },
        {"nothing",                "",                           ""                      },
        {"a short value",          "a: 1",                       "{'a':1}"               },
    };
    check_rows(rows, COUNT(rows));
}

TEST(manifest_read_finds_arrays_behind_much_space)
{
    SCOPED(buf) text = {0};
    SCOPED(buf) out = {0};
    add_times(&text, 1000, STR(" \n"));
    buf_add(&text, STR("[{}]"));
    CHECK_EQ(read_all(&out, buf_str(&text), NULL), STR("{}"));
}

TEST(manifest_read_takes_json_objects)
{
    const struct row rows[] = {
        {"behind a separator",     "---\n{\"a\":\"\\/\"}",        "{'a':'/'}"               },
        {"with a comment on it",   "--- # x\n{\"a\":\"\\/\"}",    "{'a':'/'}"               },
        {"behind a mark",          "\xef\xbb\xbf{\"a\":\"\\/\"}", "{'a':'/'}"               },
        {"tabs in front",          "\t{\"a\":1}",                 "{'a':1}"                 },
        {"one after the other",    "{\"a\":1}{\"b\":2}\n{}",      "{'a':1} {'b':2} {}"      },
        {"negative zero",          "{\"a\":-0,\"b\":-0.0}",       "{'a':-0,'b':-0}"         },
        {"leading zeros are YAML", "{\"a\":010}",                 "{'a':8}"                 },
        {"brackets in strings",    "{\"a\":\"}\\\"{\"}{}",        "{'a':'}\\'{'} {}"        },
        {"too large is text",      "{\"a\":1e999}",               "{'a':'1e999'}"           },
        {"but not after JSON",     "{}{\"a\":1e999}",             "trailing-content"        },
        {"a slash in YAML",        "a: \"\\/\"",                  "syntax"                  },
        {"a slash behind a tag",   "a: &x !!str \"\\/\"",         "syntax"                  },
        {"an escaped backslash",   "a: \"\\\\/\"",                "{'a':'\\\\/'}"           },
        {"an escaped quote",       "a: \"it\\'s\", b\\'",         "syntax"                  },
        {"two escaped quotes",     "a: \"\\'\\'\"\nb: x\\'y",     "{'a':'''','b':'x\\\\'y'}"},
    };
    check_rows(rows, COUNT(rows));
}

/* Where go-yaml and libyaml disagree, we refuse or do as go-yaml does. */
TEST(manifest_read_like_the_older_scanner)
{
    const struct row rows[] = {
        {"a ? in a flow scalar",        "a: [b?c]",                         "syntax"              },
        {"one in a block scalar",       "a: b?c",                           "{'a':'b?c'}"         },
        {"a tag before a comma",        "a: [!!str, b]",                    "syntax"              },
        {"a verbatim tag in a flow",    "a: [!<tag:yaml.org,2002:str> 1]",  "{'a':['1']}"         },
        {"the lone tag makes text",     "a: ! 12\nb: ! <<",                 "{'a':'12','b':'<<'}" },
        {"and still merges",            "! <<: {a: 1}",                     "{'a':1}"             },
        {"a mark inside of a document", "a:\n\xef\xbb\xbfx: 1",             "syntax"              },
        {"a mark inside of a line",     "a: \xef\xbb\xbf",                  "{'a':'\xef\xbb\xbf'}"},
        {"a sign in a binary number",   "a: 0b-1",                          "{'a':-1}"            },
        {"an empty flow key",           "{}: x",                            "trailing-content"    },
        {"further down",                "a:\n  {}: x",                      "map-key"             },
        {"an explicit one",             "? []\n: x",                        "map-key"             },
        {"the last fault wins",         "~: 1\na: !!int x",                 "tag"                 },
        {"syntax comes first",          "a: .nan\nb: [\n",                  "syntax"              },
        {"aliases as keys",             "a: &x 07\n*x : 1",                 "{'a':7,'7':1}"       },
        {"an alias of a mapping",       "a: &x {}\n*x : 1",                 "map-key"             },
        {"a merge of itself",           "a: &x\n  <<: *x",                  "anchor"              },
        {"merges from last to first",   "<<: [{a: 1, b: 1}, {a: 2, c: 2}]", "{'c':2,'a':1,'b':1}" },
        {"a list in a list of merges",  "<<: [[{a: 1}]]",                   "tag"                 },
    };
    check_rows(rows, COUNT(rows));
}

TEST(manifest_read_one_refuses_other_versions)
{
    OWNED(json_doc) doc = NULL;
    struct manifest_fault fault = {0};
    CHECK_OK(manifest_read_one(STR("%YAML 1.1\n---\na: 1\n"), NULL, &doc, &fault));
    CHECK_ERROR(manifest_read_one(STR("%YAML 1.2\n---\na: 1\n"), NULL, &doc, &fault), ERROR_PARSE);
    CHECK_EQ((int)fault.error, MANIFEST_SYNTAX);
}

TEST(manifest_read_one_keeps_integers)
{
    const struct {
        struct str text;
        const char *json;
    } cases[] = {
        {STR_INIT("{\"a\": 9223372036854775807}"), "{\"a\":9223372036854775807}" },
        {STR_INIT("a: 18446744073709551615"),      "{\"a\":18446744073709551615}"},
        {STR_INIT("[1, 2]"),                       "[1,2]"                       },
        {STR_INIT("text"),                         "\"text\""                    },
        {STR_INIT(""),                             "null"                        },
        {STR_INIT("# nothing\n"),                  "null"                        },
        {STR_INIT("---\n"),                        "null"                        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[i].json);
        CHECK_OK(manifest_read_one(cases[i].text, NULL, &doc, NULL));
        json_write(&text, json_doc_root(doc));
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].json));
    }
    OWNED(json_doc) doc = NULL;
    CHECK_ERROR(manifest_read_one(STR("{}{}"), NULL, &doc, NULL), ERROR_PARSE);
}

TEST(manifest_names_keys_that_are_given_twice)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    struct json_warnings duplicates = {.arena = &arena};
    const struct manifest_options options = {.duplicates = &duplicates};
    CHECK_OK(manifest_read_first(STR("\na: 1\nb:\n  c: 1\n  d: [{e: 1, \"e\": 2}]\n  c: 2\na: 2\n"),
                                 &options, &doc, NULL));
    const char *const expected[] = {
        "line 7: key \"a\" already set in map",
        "line 6: key \"c\" already set in map",
        "line 5: key \"e\" already set in map",
    };
    CHECK_EQ(duplicates.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        CHECK_EQ(duplicates.items[i], str_from_c(expected[i]));
}

TEST(manifest_read_first_drops_what_follows)
{
    const struct {
        struct str text;
        const char *json;
    } cases[] = {
        {STR_INIT("a: 1\n"),                 "{\"a\":1}"},
        {STR_INIT("{\"a\": 1}"),             "{\"a\":1}"},
        {STR_INIT("a: 1\n---\nb: 2\n"),      "{\"a\":1}"},
        {STR_INIT("---\na: 1\n...\nb: 2\n"), "{\"a\":1}"},
        {STR_INIT("a: 1\n---\nb: [\n"),      "{\"a\":1}"},
        {STR_INIT("{\"a\": 1}{\"b\": 2}"),   "{\"a\":1}"},
        {STR_INIT("---\n---\na: 1\n"),       "null"     },
        {STR_INIT("# none\n---\na: 1\n"),    "{\"a\":1}"},
        {STR_INIT(""),                       "null"     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%.*s", STR_ARG(cases[i].text));
        CHECK_OK(manifest_read_first(cases[i].text, NULL, &doc, NULL));
        json_write(&text, json_doc_root(doc));
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].json));
    }
    OWNED(json_doc) doc = NULL;
    CHECK_ERROR(manifest_read_first(STR("a: [\n---\nb: 2\n"), NULL, &doc, NULL), ERROR_PARSE);
}

TEST(manifest_read_names_the_place)
{
    /* Text, class, document, line and column in the text, part of the message. */
    const struct {
        const char *text;
        enum manifest_error error;
        size_t document, line, column;
        const char *part;
    } cases[] = {
        {"a:\n\tb: 1",                   MANIFEST_SYNTAX,           1, 2, 1, "line 2, column 1: "     },
        {"a: 1\n---\nb:\n c: 1\n\td: 2", MANIFEST_SYNTAX,           2, 5, 1, "column 1: found a tab"  },
        {"a: 1\nb: x\x01y",              MANIFEST_SYNTAX,           1, 2, 5, "control characters"     },
        {"\xc3\xa9: \xff",               MANIFEST_SYNTAX,           1, 1, 4, "invalid leading UTF-8"  },
        {"#\n---\na:\n  b: !!int x",     MANIFEST_TAG,              1, 4, 6, "column 6: cannot decode"},
        {"a: 1\n---\n---\nb: 1\nc: *x",  MANIFEST_ANCHOR,           2, 5, 4, "unknown anchor 'x'"     },
        {"a: 1\nnull: 2",                MANIFEST_MAP_KEY,          1, 2, 1, "map key: null"          },
        {"a: 1\nb: .inf",                MANIFEST_NO_JSON_FORM,     1, 2, 4, "not a finite"           },
        {"a: 1\n...\nb: 2",              MANIFEST_TRAILING_CONTENT, 1, 3, 1, "content after the end"  },
        {"a: 1\n--- x",                  MANIFEST_SEPARATOR,        0, 2, 1, "document separator: x"  },
        {"a: 1\n---\ntext",              MANIFEST_NOT_A_MAPPING,    2, 0, 0, "not a mapping"          },
        {"[{},\n {},\n  x]",             MANIFEST_JSON_LIST,        0, 3, 3, "list: line 3, column 3" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(manifest_list) list = {0};
        struct manifest_fault fault = {0};
        const struct str text = str_from_c(cases[i].text);
        TEST_CASE("%s", cases[i].part);
        CHECK_FAILS(manifest_read(text, NULL, &list, &fault), ERROR_PARSE, cases[i].part);
        CHECK_EQ((int)fault.error, (int)cases[i].error);
        CHECK_EQ(fault.document, cases[i].document);
        CHECK_EQ(fault.line, cases[i].line);
        CHECK_EQ(fault.column, cases[i].column);
    }
}

TEST(manifest_read_refuses_nul_bytes)
{
    const struct str texts[] = {STR("a: 1\n# \0\n"), STR("a: x\0y"), STR("\0"),
                                STR("{\"a\":\"\0\"}")};
    for (size_t i = 0; i < COUNT(texts); i++) {
        SCOPED(manifest_list) list = {0};
        TEST_CASE("%zu", i);
        CHECK_FAILS(manifest_read(texts[i], NULL, &list, NULL), ERROR_PARSE, "control characters");
    }
}

TEST(manifest_read_keeps_block_scalars_byte_for_byte)
{
    struct str rest =
        STR("#!/bin/sh\n\n\tif true; then  \n    echo \"\\n\" '---' # %x\n  fi\n\xc3\xa9\t \n");
    const struct str script = rest;
    SCOPED(buf) yaml = {0};
    buf_add(&yaml, STR("data:\n  run: |\n"));
    for (struct str line; rest.len;) {
        str_cut(&rest, '\n', &line);
        if (line.len)
            buf_add(&yaml, STR("    "));
        buf_add(&yaml, line);
        buf_add_char(&yaml, '\n');
    }
    SCOPED(manifest_list) list = {0};
    CHECK_OK(manifest_read(buf_str(&yaml), NULL, &list, NULL));
    CHECK_EQ(list.count, 1);
    const struct json_value *data = json_get(json_doc_root(list.docs[0]), STR("data"));
    CHECK_EQ(json_to_str(json_get(data, STR("run"))), script);
}

TEST(manifest_read_keeps_the_cause_of_long_messages)
{
    SCOPED(buf) yaml = {0};
    SCOPED(manifest_list) list = {0};
    buf_add(&yaml, STR("a: "));
    add_times(&yaml, 100000, STR("x\\"));
    buf_add(&yaml, STR("\nb: *nope\n"));
    CHECK_FAILS(manifest_read(buf_str(&yaml), NULL, &list, NULL), ERROR_PARSE,
                "…\": error converting YAML to JSON: yaml: line 2, column 4: unknown anchor");
}

TEST(manifest_read_has_limits)
{
    /* Bytes of text, documents, nodes, bytes of documents; 0 is the default. */
    const struct {
        const char *name, *text;
        struct manifest_options options;
        const char *answer;
    } cases[] = {
        {"text within",             "a: 1\n",                  {5, 0, 0, 0, 0, NULL},   "{'a':1}"          },
        {"text beyond",             "a: 1\n",                  {4, 0, 0, 0, 0, NULL},   "too-large"        },
        {"documents within",        "a: 1\n---\nb: 2\n",       {0, 2, 0, 0, 0, NULL},   "{'a':1} {'b':2}"  },
        {"documents beyond",        "a: 1\n---\nb: 2\n",       {0, 1, 0, 0, 0, NULL},   "too-large"        },
        {"comments beyond",         "#\n---\n#\n",             {0, 1, 0, 0, 0, NULL},   "too-large"        },
        {"objects beyond",          "[{},{}]",                 {0, 1, 0, 0, 0, NULL},   "too-large"        },
        {"nodes within",            "a: [1]\n",                {0, 0, 4, 0, 0, NULL},   "{'a':[1]}"        },
        {"nodes beyond",            "a: [1]\n",                {0, 0, 3, 0, 0, NULL},   "too-large"        },
        {"nodes of two documents",  "a: 1\n---\nb: 1\n",       {0, 0, 5, 0, 0, NULL},   "too-large"        },
        {"nodes by aliases",        "a: &a [1]\nb: *a\n",      {0, 0, 7, 0, 0, NULL},   "aliasing"         },
        {"enough for them",         "a: &a [1]\nb: *a\n",      {0, 0, 8, 0, 0, NULL},   "{'a':[1],'b':[1]}"},
        {"memory within",           "a: bc\n",                 {0, 0, 0, 51, 0, NULL},  "{'a':'bc'}"       },
        {"memory beyond",           "a: bc\n",                 {0, 0, 0, 50, 0, NULL},  "too-large"        },
        {"memory of two documents", "a: bc\n---\na: bc\n",     {0, 0, 0, 101, 0, NULL}, "too-large"        },
        {"memory of an object",     "{}",                      {0, 0, 0, 7, 0, NULL},   "too-large"        },
        {"memory by aliases",       "a: &a bc\nb: [*a, *a]\n", {0, 0, 0, 110, 0, NULL}, "aliasing"         },
    };
    SCOPED(buf) out = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(read_all(&out, str_from_c(cases[i].text), &cases[i].options),
                 str_from_c(cases[i].answer));
    }
    SCOPED(manifest_list) list = {0};
    CHECK_ERROR(manifest_read(STR("a: 1"), &(struct manifest_options){.text_max = 1}, &list, NULL),
                ERROR_TOO_LARGE);
}

static void add_laughs(struct buf *buf, int levels)
{
    buf_add(buf, STR("a: &a [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int level = 'b'; level < 'a' + levels; level++) {
        buf_print(buf, "%c: &%c [*%c", level, level, level - 1);
        for (size_t i = 0; i < 9; i++)
            buf_print(buf, ",*%c", level - 1);
        buf_add(buf, STR("]\n"));
    }
}

/* The budget of nodes stands for time and memory: it is far from used up when the file is refused.
 */
TEST(manifest_read_does_not_laugh)
{
    SCOPED(buf) yaml = {0};
    SCOPED(buf) out = {0};
    const struct manifest_options few = {.nodes_max = 20000, .memory_max = 400000};
    add_laughs(&yaml, 9);
    SCOPED(manifest_list) list = {0};
    CHECK_FAILS(manifest_read(buf_str(&yaml), &few, &list, NULL), ERROR_PARSE,
                "document contains excessive aliasing");
    buf_clear(&yaml);
    add_laughs(&yaml, 2);
    CHECK(!str_eq(read_all(&out, buf_str(&yaml), NULL), STR("aliasing")));
}

/* Few nodes, but each of them large. */
TEST(manifest_read_does_not_multiply_text)
{
    SCOPED(buf) yaml = {0};
    SCOPED(buf) out = {0};
    buf_add(&yaml, STR("a: &a "));
    add_times(&yaml, 100000, STR("x"));
    buf_add(&yaml, STR("\nb: ["));
    add_times(&yaml, 1000, STR("*a,"));
    buf_add(&yaml, STR("]\n"));
    CHECK_EQ(read_all(&out, buf_str(&yaml), NULL), STR("aliasing"));
}

/* Aliases of decoded bytes share them; the budget counts all the same. */
TEST(manifest_read_decodes_binary_once)
{
    SCOPED(manifest_list) list = {0};
    CHECK_OK(manifest_read(STR("a: &a !!binary aGkA/w==\nb: *a\n*a : c\n"), NULL, &list, NULL));
    const struct json_value *root = json_doc_root(list.docs[0]);
    const struct str bytes = STR("hi\0\xef\xbf\xbd");
    CHECK_EQ(json_to_str(json_get(root, STR("a"))), bytes);
    CHECK_EQ(json_to_str(json_get(root, STR("b"))), bytes);
    CHECK_EQ(json_to_str(json_get(root, bytes)), STR("c"));
}

TEST(manifest_read_bounds_depth)
{
    const struct {
        const char *name;
        size_t opening, closing;
        struct str open, close;
        const char *answer; /* "" for any document */
    } cases[] = {
        {"as deep as allowed",   256,    256,    STR_INIT("["),       STR_INIT("]"),  ""     },
        {"one deeper",           257,    257,    STR_INIT("["),       STR_INIT("]"),  "depth"},
        {"200,000 brackets",     200000, 0,      STR_INIT("["),       STR_INIT(""),   "depth"},
        {"200,000 braces",       200000, 0,      STR_INIT("{a: "),    STR_INIT(""),   "depth"},
        {"200,000 objects",      200000, 0,      STR_INIT("{\"a\":"), STR_INIT(""),   "depth"},
        {"many dashes",          200000, 0,      STR_INIT("\n- "),    STR_INIT(""),   ""     },
        {"much in a deep place", 250,    300000, STR_INIT("["),       STR_INIT("1,"), "depth"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) yaml = {0};
        SCOPED(buf) out = {0};
        TEST_CASE("%s", cases[i].name);
        buf_add(&yaml, STR("a: "));
        add_times(&yaml, cases[i].opening, cases[i].open);
        add_times(&yaml, cases[i].closing, cases[i].close);
        const struct str answer = read_all(&out, buf_str(&yaml), NULL);
        if (cases[i].answer[0])
            CHECK_EQ(answer, str_from_c(cases[i].answer));
        else
            CHECK(str_starts_with(answer, STR("{'a':")));
    }
}

/* Aliases nest deeper than any line of the text. */
TEST(manifest_read_bounds_depth_by_aliases)
{
    SCOPED(buf) yaml = {0};
    SCOPED(buf) out = {0};
    buf_add(&yaml, STR("a0: &a0 "));
    add_times(&yaml, 400, STR("["));
    add_times(&yaml, 400, STR("]"));
    for (size_t i = 1; i < 30; i++) {
        buf_print(&yaml, "\na%zu: &a%zu ", i, i);
        add_times(&yaml, 400, STR("["));
        buf_print(&yaml, "*a%zu", i - 1);
        add_times(&yaml, 400, STR("]"));
    }
    CHECK_EQ(read_all(&out, buf_str(&yaml), NULL), STR("depth"));
}

TEST(manifest_read_bounds_directives)
{
    SCOPED(buf) yaml = {0};
    OWNED(json_doc) doc = NULL;
    for (size_t i = 0; i < 50000; i++)
        buf_print(&yaml, "%%TAG !%zu! x%c", i, i % 2 ? '\n' : '\r');
    buf_add(&yaml, STR("---\na: 1\n"));
    CHECK_FAILS(manifest_read_one(buf_str(&yaml), NULL, &doc, NULL), ERROR_PARSE, "directives");
}

TEST(manifest_read_finds_anchors_among_many)
{
    SCOPED(buf) yaml = {0};
    SCOPED(manifest_list) list = {0};
    for (size_t i = 0; i < 5000; i++)
        buf_print(&yaml, "k%zu: &a%zu %zu\n", i, i % 2500, i);
    buf_add(&yaml, STR("first: *a0\nlast: *a2499\n"));
    CHECK_OK(manifest_read(buf_str(&yaml), NULL, &list, NULL));
    int64_t first = 0, last = 0;
    const struct json_value *root = json_doc_root(list.docs[0]);
    CHECK(json_to_int64(json_get(root, STR("first")), &first));
    CHECK(json_to_int64(json_get(root, STR("last")), &last));
    CHECK_EQ(first, 2500);
    CHECK_EQ(last, 4999);
}

/* A fault leaves nothing behind, and outputs are untouched. */
TEST(manifest_read_writes_results_on_success_only)
{
    struct manifest_list list = {.count = 7};
    CHECK_ERROR(manifest_read(STR("a: 1\n---\nb: ["), NULL, &list, NULL), ERROR_PARSE);
    CHECK_EQ(list.count, 7);
}

/* A scanner's time goes by the depth of braces: who reads what strangers send allows less of it. */
TEST(manifest_flow_work_has_a_limit)
{
    SCOPED(buf) text = {0};
    const struct manifest_options options = {.flow_work_max = 1000};
    for (int i = 0; i < 100; i++)
        buf_add_char(&text, '[');
    for (int i = 0; i < 100; i++)
        buf_add_char(&text, ']');
    OWNED(json_doc) doc = NULL;
    CHECK_OK(manifest_read_one(buf_str(&text), NULL, &doc, NULL));
    OWNED(json_doc) none = NULL;
    buf_add_char(&text, '\n'); /* and not JSON */
    buf_add(&text, STR("# end"));
    CHECK_FAILS(manifest_read_one(buf_str(&text), &options, &none, NULL), ERROR_PARSE,
                "deep nesting");
}

/* libyaml takes time by the depth of braces for every token of the text. */
TEST(manifest_braces_nest_no_deeper_than_a_limit)
{
    static const struct {
        const char *name, *open, *close;
        size_t depth;
        bool is_read;
    } cases[] = {
        {"sequences",                "[",    "]", MANIFEST_FLOW_DEPTH_MAX,     true },
        {"one sequence too many",    "[",    "]", MANIFEST_FLOW_DEPTH_MAX + 1, false},
        {"mappings",                 "{a: ", "}", MANIFEST_FLOW_DEPTH_MAX,     true },
        {"one mapping too many",     "{a: ", "}", MANIFEST_FLOW_DEPTH_MAX + 1, false},
        {"sequences without an end", "[",    "",  1000000,                     false},
        {"mappings without an end",  "{a: ", "",  1000000,                     false},
        {"keys",                     "? [",  "",  1000000,                     false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        OWNED(json_doc) doc = NULL;
        struct manifest_fault fault = {0};
        TEST_CASE("%s", cases[i].name);
        buf_add(&text, STR("a: "));
        for (size_t j = 0; j < cases[i].depth; j++)
            buf_add(&text, str_from_c(cases[i].open));
        for (size_t j = 0; j < cases[i].depth; j++)
            buf_add(&text, str_from_c(cases[i].close));
        OWNED(error) err = manifest_read_one(buf_str(&text), NULL, &doc, &fault);
        CHECK_EQ(err == NULL, cases[i].is_read);
        if (err)
            CHECK(fault.error == MANIFEST_DEPTH || fault.error == MANIFEST_SYNTAX);
        if (err && fault.error == MANIFEST_DEPTH)
            CHECK_CONTAINS(str_from_c(err->message), STR("braces"));
    }
}
