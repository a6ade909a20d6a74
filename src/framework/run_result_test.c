#include "framework/run_result.h"

#include <string.h>

#include "async/fiber.h"
#include "framework/error_class.h"
#include "framework/graph_internal.h"
#include "testing/sim.h"

TEST(the_outermost_class_counts)
{
    SCOPED(arena) arena = {0};
    OWNED(error)
    inner = error_class_retry_later(error_new(ERROR_IO, "cause"), STR("dependencyStatus"),
                                    STR("inner"), 3 * SECOND);
    inner = error_wrap(TAKE(inner), "context");
    CHECK_EQ((int)error_class_of(inner), (int)ERROR_CLASS_RETRY_LATER);
    CHECK_EQ(error_class_reason(inner, &arena), STR("dependencyStatus"));
    CHECK_EQ(error_class_message(inner, &arena), STR("inner"));
    CHECK_EQ(error_class_delay(inner), 3 * SECOND);
    CHECK_EQ((const char *)inner->message, "context: inner: cause");
    OWNED(error) outer = error_class_unrecoverable(TAKE(inner), STR("invalidSpec"), STR("outer"));
    CHECK_EQ((int)error_class_of(outer), (int)ERROR_CLASS_UNRECOVERABLE);
    CHECK_EQ(error_class_reason(outer, &arena), STR("invalidSpec"));
    CHECK_EQ(error_class_message(outer, &arena), STR("context: inner: cause"));
    CHECK_EQ(error_class_delay(outer), 0);
    CHECK_EQ((const char *)outer->message, "outer: context: inner: cause");
}

TEST(a_class_needs_no_cause)
{
    SCOPED(arena) arena = {0};
    OWNED(error) err = error_class_unrecoverable(NULL, STR(""), STR("no way"));
    CHECK_EQ((int)error_class_of(err), (int)ERROR_CLASS_UNRECOVERABLE);
    CHECK_EQ(error_class_message(err, &arena), STR("no way"));
    const struct run_result result = run_result_of(NULL, err);
    CHECK_EQ(run_result_reason(&result, &arena), STR("operatorError"));
    OWNED(error) canceled = error_new(ERROR_CANCELED, "canceled");
    CHECK_EQ((int)error_class_of(canceled), (int)ERROR_CLASS_CANCELED);
    CHECK_EQ((int)error_class_of(NULL), (int)ERROR_CLASS_UNCLASSIFIED);
}

TEST(reasons_of_what_has_no_class)
{
    const struct {
        enum error_code code;
        int http_status;
        const char *reason;
    } cases[] = {
        {ERROR_IO,          0,   "operatorError"    },
        {ERROR_INVALID,     0,   "operatorError"    },
        {ERROR_TOO_LARGE,   0,   "operatorError"    },
        {ERROR_INVALID,     418, "apiTemporaryError"},
        {ERROR_INTERNAL,    500, "apiTemporaryError"},
        {ERROR_CONNECTION,  0,   "apiTemporaryError"},
        {ERROR_UNREACHABLE, 0,   "apiTemporaryError"},
        {ERROR_DEADLINE,    0,   "apiTemporaryError"},
        {ERROR_TLS,         0,   "apiTemporaryError"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        OWNED(error) err = error_new(cases[i].code, "broke");
        err->http_status = cases[i].http_status;
        const struct run_result result = run_result_of(NULL, err);
        TEST_CASE("%zu", i);
        CHECK_EQ(run_result_reason(&result, &arena), str_from_c(cases[i].reason));
        CHECK(result.is_counted && result.is_recoverable);
    }
}

/* How a node ends: U unrecoverable, E unclassified, R retry later, S stale, C cancelled, anything
 * else well. A digit after R is its delay in seconds. */
static struct error *end(char how, char then)
{
    switch (how) {
    case 'U':
        return error_class_unrecoverable(error_new(ERROR_INVALID, "U%c", then), STR("u"), STR(""));
    case 'E':
        return error_new(ERROR_IO, "E%c", then);
    case 'R':
        return error_class_retry_later(error_new(ERROR_IO, "R%c", then), STR("r"), STR(""),
                                       then >= '1' && then <= '9' ? (then - '0') * SECOND : 0);
    case 'S':
        return error_class_stale(error_new(ERROR_CONFLICT, "S"));
    case 'C':
        return error_new(ERROR_CANCELED, "C");
    default:
        return NULL;
    }
}

static struct error *run_node(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    const char *how = data;
    *ret_outcome = GRAPH_DONE;
    (void)node;
    /* The last node added ends first: timing makes no difference. */
    TRY(fiber_sleep((duration)strlen(how) * MILLISECOND));
    return end(how[0], how[1]);
}

SIM_TEST(several_failures_make_one_result)
{
    const struct {
        const char *name, *nodes; /* two characters each */
        const char *worst;        /* message */
        bool recoverable, counted, stale, canceled;
        int delay;
    } cases[] = {
        {"all well",                  "----",     NULL, false, false, false, false, 0},
        {"retry later",               "--R-",     "R-", true,  false, false, false, 0},
        {"unclassified is worse",     "R-Ea",     "Ea", true,  true,  false, false, 0},
        {"unrecoverable is worst",    "R-EaUb",   "Ub", true,  true,  false, false, 0},
        {"the first of equals",       "UaUb",     "Ua", false, false, false, false, 0},
        {"the shortest delay",        "R7R3R-R5", "R7", true,  false, false, false, 3},
        {"unrecoverable and a delay", "U-R2",     "U-", true,  false, false, false, 2},
        {"stale alone",               "S---",     NULL, false, false, true,  false, 0},
        {"stale beside others",       "S-U-",     "U-", false, false, true,  false, 0},
        {"cancelled",                 "C-E-",     "E-", true,  true,  false, true,  0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(graph) graph = graph_new();
        TEST_CASE("%s", cases[i].name);
        for (const char *how = cases[i].nodes; *how; how += 2)
            CHECK_OK(graph_add(graph,
                               &(struct graph_node_options){
                                   .kind = GRAPH_CUSTOM, .run = run_node, .data = (void *)how},
                               NULL));
        CHECK_OK(graph_run(graph, 0, NULL, NULL));
        const struct run_result result = run_result_of(graph, NULL);
        CHECK_EQ(result.worst ? str_from_c(result.worst->message) : STR("none"),
                 str_from_c(cases[i].worst ? cases[i].worst : "none"));
        CHECK_EQ(result.is_recoverable, cases[i].recoverable);
        CHECK_EQ(result.is_counted, cases[i].counted);
        CHECK_EQ(result.is_stale, cases[i].stale);
        CHECK_EQ(result.is_canceled, cases[i].canceled);
        CHECK_EQ(result.delay, cases[i].delay * SECOND);
    }
}
