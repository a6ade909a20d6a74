#include "clusterresourceset/apply/ownership_loss.h"

#include "testing/test.h"

#define OURS                   STR("corset:ns/s")
#define ENTRY(manager, fields) "{\"manager\":\"" manager "\",\"fieldsV1\":" fields "}"
#define UPDATED(manager, fields) \
    "{\"manager\":\"" manager    \
    "\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"fieldsV1\":" fields "}"
#define APPLIED(fields)                                                                               \
    "{\"manager\":\"corset:ns/s\",\"operation\":\"Apply\",\"apiVersion\":\"v1\",\"fieldsV1\":" fields \
    "}"

/* The first line of a chain: f:a has f:b has … */
#define NEST4(inner)  "{\"f:a\":{\"f:b\":{\"f:c\":{\"f:d\":" inner "}}}}"
#define NEST16(inner) NEST4(NEST4(NEST4(NEST4(inner))))
#define NEST64(inner) NEST16(NEST16(NEST16(NEST16(inner))))

static struct object *object_with(const char *entries)
{
    SCOPED(buf) text = {.limit = 0};
    struct object *object = NULL;
    buf_print(&text, "{\"apiVersion\":\"v1\",\"kind\":\"A\",\"metadata\":{\"managedFields\":[%s]}}",
              entries);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

TEST(what_left_an_entry_is_told_with_who_has_it)
{
    static const struct {
        const char *name, *applied, *live, *told;
        bool is_secret;
    } cases[] = {
        {"a field of kubectl",                     "{\"f:spec\":{\"f:replicas\":{},\"f:x\":{}}}",
         APPLIED("{\"f:spec\":{\"f:x\":{}}}") "," ENTRY("kubectl",
         "{\"f:spec\":{\"f:replicas\":{}}}"),
         "spec.replicas changed by kubectl",                                                                                                                                                                                                                                                                                 false},
        {"removed",                                        "{\"f:data\":{\"f:a.b\":{},\"f:c\":{}}}",                                                                             APPLIED("{\"f:data\":{\"f:c\":{}}}"),
         "data.a.b removed", false                                                                                                                                                                                                                                                                                                },
        {"all of a part of the tree",                                        "{\"f:data\":{\"f:a\":{}},\"f:x\":{}}",
         APPLIED("{\"f:x\":{}}"),                   "data.a removed",                                                                                                                                                                                        false                                                                                                                                                                                                                                                       },
        {"an item with all that is in it",
         "{\"f:l\":{\"k:{\\\"port\\\":80,\\\"p\\\":\\\"TCP\\\"}\":{\".\":{},\"f:a\":{}},\"f:b\":{}}}",
         APPLIED("{\"f:l\":{\"f:b\":{}}}"),                                   "l[80,TCP] removed",                                                                                                                                                                              false                                                                                                                                                                                                                          },
        {"a field of an item",                                        "{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\".\":{},\"f:a\":{}}}}",
         APPLIED("{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\".\":{}}}}") "," ENTRY(
             "ops", "{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\"f:a\":{}}}}"),
         "l[x].a changed by ops",                                                                                                                                                                                                                                                 false},
        {"the same of a Secret",                                   "{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\".\":{},\"f:a\":{}}}}",
         APPLIED("{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\".\":{}}}}"),                                                                                                "l[…].a removed",                                                                             true                                                                                                                                                                                                                                                     },
        {"a value and an index",                                    "{\"f:l\":{\"v:\\\"x\\\"\":{},\"i:2\":{}},\"f:y\":{}}",
         APPLIED("{\"f:y\":{}}"),                                                                                                 "l[x] removed, l[2] removed",          false                                                                                                                                                                                                                                                                                           },
        {"many",
         "{\"f:a\":{},\"f:b\":{},\"f:c\":{},\"f:d\":{},\"f:e\":{},\"f:f\":{},\"f:g\":{},\"f:h\":{}}",
         APPLIED("{\"f:h\":{}}"),
         "a removed, b removed, c removed, d removed, e removed and 2 more",                                                                                                                    false                                                                                                                                                                                                                                                                                           },
        {"no entry of ours",                                   "{\"f:a\":{}}",                                                                                ENTRY("kubectl-create",                                                                                                    "{\"f:a\":{}}"),
         "made anew, or taken, by kubectl-create",false},
        {"nobody's", "{\"f:a\":{}}",                                         "",                                                                              "its managedFields were removed",                                                                                                                                                   false                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      },
        {"the same fields",        "{\"f:a\":{}}",                                                APPLIED("{\"f:a\":{},\"f:more\":{}}"),        "made anew",
         false},
        {"no object of fields",                             "{\"f:a\":7}",                                                                                   APPLIED("{}"),                                                                                                                        "made anew",                                                                                                                                                                                  false                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) entry = {.limit = 0};
        SCOPED(buf) told = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        buf_print(&entry, APPLIED("%s"), cases[i].applied);
        OWNED(object) applied = object_with(buf_c(&entry));
        OWNED(object) live = object_with(cases[i].live);
        ownership_loss_write(
            &(struct ownership_loss){
                .live = live, .applied = applied, .manager = OURS, .is_secret = cases[i].is_secret},
            &told);
        CHECK_EQ(buf_str(&told), str_from_c(cases[i].told));
    }
    SCOPED(buf) told = {.limit = 0};
    OWNED(object) applied = object_with(APPLIED("{\"f:a\":{}}"));
    ownership_loss_write(&(struct ownership_loss){.applied = applied, .manager = OURS}, &told);
    CHECK_EQ(buf_str(&told), STR("deleted"));
}

TEST(fields_of_any_depth_are_walked_through)
{
    SCOPED(buf) told = {.limit = 0};
    OWNED(object) applied = object_with(APPLIED(NEST64("{}")));
    OWNED(object) live = object_with(APPLIED(NEST4("{}")));
    ownership_loss_write(
        &(struct ownership_loss){.live = live, .applied = applied, .manager = OURS}, &told);
    CHECK_EQ(buf_str(&told), STR("made anew"));
}

TEST(fields_that_others_may_change_are_not_lost)
{
    struct str path = STR("/a");
    const struct delivery_policy_texts ignored = {&path, 1};
    SCOPED(buf) told = {.limit = 0};
    OWNED(object) applied = object_with(APPLIED("{\"f:a\":{},\"f:b\":{}}"));
    OWNED(object) live = object_with(APPLIED("{\"f:c\":{}}"));
    ownership_loss_write(
        &(struct ownership_loss){
            .live = live, .applied = applied, .manager = OURS, .ignored = &ignored},
        &told);
    CHECK_EQ(buf_str(&told), STR("b removed"));
}

TEST(what_an_adoption_would_take_away_is_named)
{
    static const struct {
        const char *name, *entries, *told;
    } cases[] = {
        {"nobody to adopt",               APPLIED("{\"f:data\":{\"f:k\":{}}}"), ""                                                   },
        { "a key that left the manifest",
         APPLIED("{\"f:data\":{\"f:k\":{}}}") "," UPDATED(
             "corset",     "{\"f:data\":{\".\":{},\"f:k\":{},\"f:gone\":{}}}"),
         "data.gone"},
        {                                                                                                                  "a key that somebody else owns, too",
         APPLIED("{\"f:data\":{\"f:k\":{}}}") "," UPDATED(
             "corset",       "{\"f:data\":{\"f:gone\":{}}}") "," UPDATED("ops",
         "{\"f:data\":{\"f:gone\":{}}}"),
         ""},
        {                                                                                                                             "a key of two that are adopted",
         APPLIED("{\"f:data\":{\"f:k\":{}}}") "," UPDATED(
             "corset",                                                          "{\"f:data\":{\"f:gone\":{}}}") "," UPDATED("manager",
         "{\"f:data\":{\"f:gone\":{}}}"),
         "data.gone"},
        {                                                                                                "somebody who is not adopted",                               APPLIED("{\"f:a\":{}}") "," UPDATED("ops",                                       "{\"f:b\":{}}"),
         ""},
    };
    struct str names[] = {STR("corset"), STR("manager")};
    const struct delivery_policy_texts adopt = {names, COUNT(names)};
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) told = {.limit = 0};
        OWNED(object) applied = object_with(cases[i].entries);
        TEST_CASE("%s", cases[i].name);
        ownership_loss_write_adopted(&(struct ownership_loss){.applied = applied, .manager = OURS},
                                     &adopt, &told);
        CHECK_EQ(buf_str(&told), str_from_c(cases[i].told));
    }
}
