#include "apiserver/webhooks/webhook_rules.h"

#include "testing/test.h"

/* One rule, and a request: which it means. */
TEST(rules_of_webhooks_match_what_upstreams_do)
{
    static const struct {
        const char *rule; /* groups, versions, resources, operations, scope */
        struct gvr resource;
        const char *subresource, *operation;
        bool namespaced, matches;
    } cases[] = {
        {"[''] ['v1'] ['pods'] ['CREATE'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "CREATE",
         true,  true },
        {"[''] ['v1'] ['pods'] ['CREATE'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "status", "CREATE",
         true,  false},
        {"[''] ['v1'] ['pods/status'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "status", "UPDATE",
         true,  true },
        {"[''] ['v1'] ['pods/*'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "status", "UPDATE",
         true,  true },
        {"[''] ['v1'] ['pods/*'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "UPDATE",
         true,  true },
        {"[''] ['v1'] ['*/status'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "UPDATE",
         true,  false},
        {"['*'] ['*'] ['*'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "status", "UPDATE",
         true,  false},
        {"['*'] ['*'] ['*/*'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "status", "UPDATE",
         true,  true },
        {"['apps'] ['v1'] ['*'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "UPDATE",
         true,  false},
        {"[''] ['v2'] ['*'] ['*'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "UPDATE",
         true,  false},
        {"[''] ['v1'] ['*'] ['CREATE','DELETE'] '*'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "UPDATE",
         true,  false},
        {"[''] ['v1'] ['*'] ['*'] 'Cluster'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("pods")},
         "",       "UPDATE",
         true,  false},
        {"[''] ['v1'] ['*'] ['*'] 'Cluster'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("namespaces")},
         "",       "UPDATE",
         false, true },
        {"[''] ['v1'] ['*'] ['*'] 'Namespaced'",
         {.version = STR_INIT("v1"), .resource = STR_INIT("namespaces")},
         "",       "UPDATE",
         false, false},
    };
    static const char *const members[] = {"apiGroups", "apiVersions", "resources", "operations",
                                          "scope"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        OWNED(json_doc) rules = NULL;
        struct str rest = str_from_c(cases[i].rule), part;
        TEST_CASE("%s", cases[i].rule);
        for (size_t k = 0; k < COUNT(members); k++) {
            str_cut(&rest, ' ', &part);
            buf_print(&text, "%s'%s':%.*s", k ? "," : "[{", members[k], STR_ARG(part));
        }
        buf_print(&text, "}]");
        for (size_t k = 0; k < text.len; k++)
            text.ptr[k] = text.ptr[k] == '\'' ? '"' : text.ptr[k];
        CHECK_OK(json_read(buf_str(&text), &rules));
        const struct webhook_attributes attributes = {
            cases[i].resource, str_from_c(cases[i].subresource), str_from_c(cases[i].operation),
            cases[i].namespaced};
        CHECK_EQ(webhook_rules_match(json_doc_root(rules), &attributes), cases[i].matches);
    }
}
