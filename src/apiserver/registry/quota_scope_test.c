#include "apiserver/registry/quota_scope.h"

#include "testing/test.h"

/* A selector of the PriorityClass, from its operator on. */
#define SELECTOR(rest)                                                                             \
    "\"scopeSelector\":{\"matchExpressions\":[{\"scopeName\":\"PriorityClass\",\"operator\":" rest \
    "}]}"

static bool matches(const char *spec, const char *stored_as, const char *pod)
{
    SCOPED(buf) text = {0};
    OWNED(json_doc) quota = NULL;
    OWNED(json_doc) object = NULL;
    buf_print(&text, "{\"spec\":{%s}}", spec);
    CHECK_OK(json_read(buf_str(&text), &quota));
    CHECK_OK(json_read(str_from_c(pod), &object));
    CHECK(quota_scope_is_enforced(json_doc_root(quota)));
    return quota_scope_matches(json_doc_root(quota), str_from_c(stored_as), json_doc_root(object));
}

TEST(scopes_choose_among_pods)
{
    const char *const plain = "{\"spec\":{},\"status\":{\"qosClass\":\"BestEffort\"}}";
    const char *const urgent =
        "{\"spec\":{\"priorityClassName\":\"high\",\"activeDeadlineSeconds\":0},"
        "\"status\":{\"qosClass\":\"Burstable\"}}";
    const struct {
        const char *spec;
        bool plain, urgent;
    } cases[] = {
        {"",                                               true,  true },
        {"\"scopes\":[\"BestEffort\"]",                    true,  false},
        {"\"scopes\":[\"NotBestEffort\"]",                 false, true },
        {"\"scopes\":[\"Terminating\"]",                   false, true },
        {"\"scopes\":[\"NotTerminating\"]",                true,  false},
        {"\"scopes\":[\"PriorityClass\"]",                 false, true },
        {"\"scopes\":[\"Terminating\",\"BestEffort\"]",    false, false},
        {"\"scopes\":[\"CrossNamespacePodAffinity\"]",     false, false},
        {SELECTOR("\"In\",\"values\":[\"low\",\"high\"]"), false, true },
        {SELECTOR("\"In\",\"values\":[\"low\"]"),          false, false},
        {SELECTOR("\"NotIn\",\"values\":[\"high\"]"),      true,  false},
        {SELECTOR("\"Exists\""),                           false, true },
        {SELECTOR("\"DoesNotExist\""),                     true,  false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].spec);
        CHECK_EQ(matches(cases[i].spec, "pods", plain), cases[i].plain);
        CHECK_EQ(matches(cases[i].spec, "pods", urgent), cases[i].urgent);
        CHECK_EQ(matches(cases[i].spec, "services", plain), i == 0);
    }
}

TEST(scopes_know_affinity_across_namespaces)
{
    const char *const scope = "\"scopes\":[\"CrossNamespacePodAffinity\"]";
    CHECK(matches(scope, "pods",
                  "{\"spec\":{\"affinity\":{\"podAffinity\":{"
                  "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"namespaces\":[\"a\"]}]"
                  "}}}}"));
    CHECK(matches(scope, "pods",
                  "{\"spec\":{\"affinity\":{\"podAntiAffinity\":{"
                  "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"podAffinityTerm\":{"
                  "\"namespaceSelector\":{}}}]}}}}"));
    CHECK(!matches(scope, "pods",
                   "{\"spec\":{\"affinity\":{\"podAffinity\":{"
                   "\"requiredDuringSchedulingIgnoredDuringExecution\":[{}]}}}}"));
}
