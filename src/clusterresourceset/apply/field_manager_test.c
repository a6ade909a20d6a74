#include "clusterresourceset/apply/field_manager.h"

#include <string.h>

#include "base/memory.h"
#include "testing/test.h"

TEST(a_set_has_a_field_manager)
{
    SCOPED(arena) arena = {0};
    struct str set;
    const struct str manager = field_manager_of_set(&arena, (struct key){STR("fleet"), STR("cni")});
    CHECK_EQ(manager, STR("corset:fleet/cni"));
    CHECK(field_manager_set(manager, &set));
    CHECK_EQ(set, STR("fleet/cni"));
    CHECK(!field_manager_set(STR("kubectl"), &set));
    CHECK(!field_manager_set(STR(""), &set));
}

TEST(a_long_field_manager_is_cut_and_stays_apart_from_others)
{
    SCOPED(arena) arena = {0};
    char name[201];
    memset(name, 'a', sizeof(name));
    const struct key longest =
                         {
                             STR("ns"), {name, 118}
    },
                     one = {STR("ns"), {name, 119}}, other = {STR("ns"), {name, 200}};
    CHECK_EQ(field_manager_of_set(&arena, longest).len, FIELD_MANAGER_MAX);
    const struct str first = field_manager_of_set(&arena, one),
                     second = field_manager_of_set(&arena, other);
    CHECK_EQ(first.len, FIELD_MANAGER_MAX);
    CHECK_EQ(second.len, FIELD_MANAGER_MAX);
    CHECK_EQ(first.ptr[111], '~');
    CHECK(!str_eq(first, second));
    CHECK(str_eq(first, field_manager_of_set(&arena, one)));
}

/* The details of a Status as kube-apiserver sends them. */
static struct error *conflict(const char *causes)
{
    struct error *err = error_new(ERROR_CONFLICT, "Apply failed with 1 conflict");
    char text[512];
    (void)snprintf(text, sizeof(text), "{\"causes\":[%s]}", causes);
    err->http_status = 409;
    err->details = mem_dup(text, strlen(text));
    return err;
}

#define CAUSE(manager)                                                                     \
    "{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict with \\\"" manager "\\\"" \
    " using v1\",\"field\":\".data.k\"}"

TEST(a_conflict_tells_the_set)
{
    const struct {
        const char *name, *causes, *set;
        bool is_conflict;
    } cases[] = {
        {"a person",           CAUSE("kubectl"),                         "",     true },
        {"a set",              CAUSE("corset:ns/s"),                     "ns/s", true },
        {"a set behind one",   CAUSE("kubectl") "," CAUSE("corset:a/b"), "a/b",  true },
        {"another reason",     "{\"reason\":\"FieldValueInvalid\"}",     "",     false},
        {"nothing",            "",                                       "",     false},
        {"a cause of no form", "{\"reason\":\"FieldManagerConflict\"}",  "",     true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        OWNED(error) err = conflict(cases[i].causes);
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(field_manager_is_conflict(err), cases[i].is_conflict);
        CHECK_EQ(field_manager_conflicting_set(err, &arena), str_from_c(cases[i].set));
    }
    SCOPED(arena) arena = {0};
    CHECK(!field_manager_is_conflict(NULL));
    CHECK_EQ(field_manager_conflicting_set(NULL, &arena), STR(""));
}

TEST(conflicts_are_told_by_field_and_manager)
{
    static const struct {
        const char *name, *field, *manager, *told, *secret;
    } cases[] = {
        {"a field",          ".spec.replicas",                       "kubectl",     "spec.replicas owned by kubectl",
         "spec.replicas owned by kubectl"                                                                                                                               },
        {"a named item",     ".spec.containers[name=\"cni\"].image", "ops",
         "spec.containers[cni].image owned by ops",                                                                            "spec.containers[…].image owned by ops"},
        {"an item with two", ".ports[port=80,protocol=\"TCP\"]",     "ops",
         "ports[80,TCP] owned by ops",                                                                                         "ports[…] owned by ops"                },
        {"a value of a set", ".metadata.finalizers[=\"a/b\"]",       "ops",
         "metadata.finalizers[a/b] owned by ops",                                                                              "metadata.finalizers[…] owned by ops"  },
        {"a place",          ".args[3]",                             "ops",         "args[3] owned by ops",                    "args[…] owned by ops"                 },
        {"another set",      ".data.a",                              "corset:ns/s", "data.a owned by ClusterResourceSet ns/s",
         "data.a owned by ClusterResourceSet ns/s"                                                                                                                      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct field_manager_conflict conflict = {str_from_c(cases[i].field),
                                                        str_from_c(cases[i].manager)};
        SCOPED(buf) told = {.limit = 0};
        SCOPED(buf) secret = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        field_manager_conflict_write(&conflict, false, &told);
        field_manager_conflict_write(&conflict, true, &secret);
        CHECK_EQ(buf_str(&told), str_from_c(cases[i].told));
        CHECK_EQ(buf_str(&secret), str_from_c(cases[i].secret));
    }
}
