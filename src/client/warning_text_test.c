#include "client/warning_text.h"

#include "testing/test.h"

TEST(texts_of_warnings)
{
    static const struct {
        const char *value, *texts; /* each with "|" behind */
    } cases[] = {
        {"",                                                             ""                         },
        {" ",                                                            ""                         },
        {"299 - \"plain\"",                                              "plain|"                   },
        {"299 - \"\"",                                                   "|"                        },
        {"299 - \"unknown field \\\"spec.x\\\"\"",                       "unknown field \"spec.x\"|"},
        {"299 - \"C:\\\\temp\"",                                         "C:\\temp|"                },
        {"299 a.test:80 \"one\", 299 - \"two, or so\"",                  "one|two, or so|"          },
        {"299 - \"one\",299 - \"two\"",                                  "one|two|"                 },
        {"299 - \"old\" \"Sat, 25 Aug 2012 23:34:45 GMT\"",              "old|"                     },
        {"299 - \"old\" \"Sat, 25 Aug 2012 23:34:45 GMT\", 299 - \"b\"", "old|b|"                   },
        {"something else",                                               "something else|"          },
        {"299 - \"no end",                                               "no end|"                  },
        {"299 - \"no end\\",                                             "no end|"                  },
        {"299 - \"a\" and more",                                         "a|"                       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) texts = {0};
        struct str value = str_from_c(cases[i].value);
        TEST_CASE("%s", cases[i].value);
        while (warning_text_next(&value, &texts))
            buf_add_char(&texts, '|');
        CHECK_EQ(buf_str(&texts), str_from_c(cases[i].texts));
    }
}
