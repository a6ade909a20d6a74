#include "json/pointer.h"

#include "testing/test.h"

TEST(a_json_pointer_leads_to_a_value)
{
    static const struct {
        struct str pointer;
        const char *text; /* NULL: nowhere */
    } cases[] = {
        {STR_INIT(""),            "{\"a\":[1,{\"b/c\":\"x\"}],\"~\":true,\"\":2}"},
        {STR_INIT("/a/0"),        "1"                                            },
        {STR_INIT("/a/1/b~1c"),   "\"x\""                                        },
        {STR_INIT("/~0"),         "true"                                         },
        {STR_INIT("/"),           "2"                                            },
        {STR_INIT("/a/2"),        NULL                                           },
        {STR_INIT("/a/-1"),       NULL                                           },
        {STR_INIT("/a/01"),       NULL                                           },
        {STR_INIT("/a/1/b~1c/d"), NULL                                           },
        {STR_INIT("a"),           NULL                                           },
        {STR_INIT("/x/y/z"),      NULL                                           },
    };
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR("{\"a\":[1,{\"b/c\":\"x\"}],\"~\":true,\"\":2}"), &doc));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%.*s", STR_ARG(cases[i].pointer));
        const struct json_value *found = json_pointer_find(json_doc_root(doc), cases[i].pointer);
        CHECK_EQ(found != NULL, cases[i].text != NULL);
        if (!found)
            continue;
        json_write(&text, found);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].text));
    }
}
