#include "apiserver/endpoints/options.h"

#include "apiserver/registry/kind.h"
#include "testing/test.h"

static struct request request_for(struct arena *arena, const char *method, const char *target)
{
    struct request request = {.arena = arena};
    CHECK_OK(request_read(&request, str_from_c(method), str_from_c(target)));
    request.kind = kinds_find(request.gvr);
    return request;
}

#define MAPS "/api/v1/namespaces/a/configmaps"

TEST(list_options_are_read)
{
    SCOPED(arena) arena = {0};
    struct list_options options;
    const struct request request =
        request_for(&arena, "GET",
                    MAPS "?limit=5&continue=tok&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx"
                         "&timeoutSeconds=10&unknown=1");
    CHECK_OK(list_options_read(&request, &options));
    CHECK_EQ(options.limit, (size_t)5);
    CHECK_EQ(options.continue_token, STR("tok"));
    CHECK(options.has_labels && options.has_fields);
    CHECK_EQ(options.timeout, 10 * SECOND);
    CHECK_EQ((int)options.match, (int)MATCH_UNSET);
    CHECK(!options.bookmarks && !options.has_initial_events);
}

TEST(list_options_of_watches_are_read)
{
    SCOPED(arena) arena = {0};
    struct list_options options;
    const struct request request = request_for(
        &arena, "GET",
        MAPS "?watch=1&allowWatchBookmarks=true&sendInitialEvents=false&resourceVersion=12"
             "&resourceVersionMatch=NotOlderThan");
    CHECK_OK(list_options_read(&request, &options));
    CHECK(options.bookmarks && options.has_initial_events && !options.initial_events);
    CHECK_EQ(options.revision, 12);
    CHECK_EQ((int)options.match, (int)MATCH_NOT_OLDER_THAN);
}

TEST(list_options_have_bounds)
{
    static const struct {
        const char *query;
        size_t limit;
        duration timeout;
        int64_t revision;
    } cases[] = {
        {"",                                     0, 0,         0        },
        {"limit=-5&timeoutSeconds=-1",           0, 0,         0        },
        {"limit=0&timeoutSeconds=0",             0, 0,         0        },
        {"timeoutSeconds=9223372036854775807",   0, 24 * HOUR, 0        },
        {"resourceVersion=18446744073709551615", 0, 0,         INT64_MAX},
        {"limit=&resourceVersion=0",             0, 0,         0        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct list_options options;
        TEST_CASE("%s", cases[i].query);
        const struct str target = arena_print(&arena, MAPS "?%s", cases[i].query);
        const struct request request = request_for(&arena, "GET", target.ptr);
        CHECK_OK(list_options_read(&request, &options));
        CHECK_EQ(options.limit, cases[i].limit);
        CHECK_EQ(options.timeout, cases[i].timeout);
        CHECK_EQ(options.revision, cases[i].revision);
    }
}

TEST(write_options_are_read)
{
    SCOPED(arena) arena = {0};
    struct write_options options;
    const struct request request = request_for(
        &arena, "PATCH", MAPS "/x?dryRun=All&force=true&fieldManager=me&fieldValidation=Strict");
    CHECK_OK(write_options_read(&request, true, &options));
    CHECK(options.dry_run && options.force && options.has_manager);
    CHECK_EQ(options.manager, STR("me"));
    CHECK_EQ((int)options.validation, (int)VALIDATION_STRICT);
}

TEST(write_options_that_are_none_are_refused)
{
    static const struct {
        const char *method, *query;
        bool is_apply;
        const char *message;
    } cases[] = {
        {"POST",  "fieldManager=m&dryRun=Some",          false, "dryRun: Unsupported value"         },
        {"POST",  "fieldManager=m&dryRun=All&dryRun=x",  false, "dryRun: Unsupported value"         },
        {"POST",  "fieldManager=m&dryRun=",              false, "dryRun: Unsupported value"         },
        {"POST",  "fieldManager=m&fieldValidation=Hard", false,
         "fieldValidation: Unsupported value"                                                       },
        {"POST",  "fieldManager=a%0Ab",                  false, "invalid character U+000A"          },
        {"PATCH", "fieldManager=m&force=true",           false, "may not be specified for non-apply"},
        {"PATCH", "",                                    true,  "is required for apply patch"       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct write_options options;
        TEST_CASE("%s %s", cases[i].method, cases[i].query);
        const struct str target = arena_print(&arena, MAPS "/x?%s", cases[i].query);
        const struct request request = request_for(&arena, cases[i].method, target.ptr);
        CHECK_FAILS(write_options_read(&request, cases[i].is_apply, &options), ERROR_INVALID,
                    cases[i].message);
    }
}

static struct error *read_delete(struct arena *arena, const char *query, const char *body,
                                 struct delete_options *options)
{
    OWNED(json_doc) doc = NULL;
    const struct str target = arena_print(arena, MAPS "/x?%s", query);
    const struct request request = request_for(arena, "DELETE", target.ptr);
    if (body)
        CHECK_OK(json_read(str_from_c(body), &doc));
    return delete_options_read(&request, doc ? json_doc_root(doc) : NULL, options);
}

TEST(delete_options_are_read)
{
    static const struct {
        const char *query, *body;
        struct delete_options options;
    } cases[] = {
        {"",                             NULL,                                                             {0}                                    },
        {"propagationPolicy=Foreground", NULL,                                                             {.propagation = PROPAGATION_FOREGROUND}},
        {"orphanDependents=true",        NULL,                                                             {.propagation = PROPAGATION_ORPHAN}    },
        {"orphanDependents=false",       NULL,                                                             {.propagation = PROPAGATION_BACKGROUND}},
        {"gracePeriodSeconds=7",         NULL,                                                             {.has_grace = true, .grace_seconds = 7}},
        {"dryRun=All",                   NULL,                                                             {.dry_run = true}                      },
        {"propagationPolicy=Foreground", "{}",                                                             {0}                                    },
        {"",
         "{\"propagationPolicy\":\"Orphan\",\"preconditions\":{\"uid\":\"u\",\"resourceVersion\":\"5\"}}",
         {.propagation = PROPAGATION_ORPHAN,
          .uid = STR_INIT("u"),
          .resource_version = STR_INIT("5")}                                                                                                      },
        {"",
         "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"dryRun\":[\"All\"]}",                        {.dry_run = true}                      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct delete_options options;
        TEST_CASE("row %zu", i);
        CHECK_OK(read_delete(&arena, cases[i].query, cases[i].body, &options));
        CHECK_EQ((int)options.propagation, (int)cases[i].options.propagation);
        CHECK_EQ(options.dry_run, cases[i].options.dry_run);
        CHECK_EQ(options.has_grace, cases[i].options.has_grace);
        CHECK_EQ(options.grace_seconds, cases[i].options.grace_seconds);
        CHECK_EQ(options.uid, cases[i].options.uid);
        CHECK_EQ(options.resource_version, cases[i].options.resource_version);
    }
}

TEST(delete_options_that_are_none_are_refused)
{
    static const struct {
        const char *query, *body;
        enum error_code code;
    } cases[] = {
        {"propagationPolicy=Sideways",                     NULL,                           ERROR_INVALID    },
        {"propagationPolicy=Orphan&orphanDependents=true", NULL,                           ERROR_INVALID    },
        {"dryRun=x",                                       NULL,                           ERROR_INVALID    },
        {"gracePeriodSeconds=x",                           NULL,                           ERROR_BAD_REQUEST},
        {"",                                               "{\"dryRun\":[\"All\",\"x\"]}", ERROR_INVALID    },
        {"",                                               "{\"kind\":\"Pod\"}",           ERROR_BAD_REQUEST},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct delete_options options;
        TEST_CASE("row %zu", i);
        CHECK_ERROR(read_delete(&arena, cases[i].query, cases[i].body, &options), cases[i].code);
    }
}
