#include "apiserver/endpoints/inflight_limits.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "testing/sim.h"
#include "testing/test.h"

#define ANN   STR("/ann")
#define BEN   STR("/ben")
#define ADMIN STR("/admin")

/* Lets in as many as it can; how many. */
static size_t crowd(struct inflight_limits *limits, struct str key, bool is_privileged,
                    bool is_watch, struct inflight_limits_pass *passes, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        OWNED(error) err = inflight_limits_enter(limits, key, is_privileged, is_watch, &passes[i]);
        if (err) {
            CHECK(error_is(err, ERROR_TOO_MANY_REQUESTS));
            CHECK(err->retry_after > 0);
            return i;
        }
    }
    return most;
}

static void leave_all(struct inflight_limits_pass *passes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        inflight_limits_leave(&passes[i]);
}

TEST(inflight_limits_gives_a_user_a_part)
{
    struct inflight_limits limits;
    struct inflight_limits_pass ann[40] = {0}, ben[40] = {0}, cid[40] = {0}, dan[40] = {0},
                                admin[40] = {0};
    inflight_limits_init(&limits, 40, 0);
    CHECK_EQ(crowd(&limits, ANN, false, false, ann, 40), (size_t)10);
    CHECK_EQ(crowd(&limits, BEN, false, false, ben, 40), (size_t)10);
    CHECK_EQ(crowd(&limits, STR("/cid"), false, false, cid, 40), (size_t)10);
    CHECK_EQ(crowd(&limits, STR("/dan"), false, false, dan, 40), (size_t)0);
    CHECK_EQ(crowd(&limits, ADMIN, true, false, admin, 40), (size_t)10);
    leave_all(ann, 10);
    CHECK_EQ(crowd(&limits, STR("/dan"), false, false, dan, 5), (size_t)5);
    leave_all(ben, 10);
    leave_all(cid, 10);
    leave_all(dan, 5);
    leave_all(admin, 10);
    CHECK_EQ(limits.requests, (size_t)0);
    CHECK_EQ(map_count(&limits.users), (size_t)0);
    inflight_limits_done(&limits);
}

TEST(inflight_limits_counts_watches_by_user)
{
    struct inflight_limits limits;
    struct inflight_limits_pass ann[4] = {0}, elsewhere[4] = {0};
    inflight_limits_init(&limits, 0, 2);
    CHECK_EQ(crowd(&limits, ANN, false, true, ann, 4), (size_t)2);
    CHECK_EQ(crowd(&limits, STR("vc-0001/ann"), false, true, elsewhere, 4), (size_t)2);
    leave_all(ann, 2);
    CHECK_EQ(crowd(&limits, ANN, false, true, ann, 1), (size_t)1);
    leave_all(ann, 1);
    leave_all(elsewhere, 2);
    inflight_limits_done(&limits);
}

TEST(inflight_limits_bounds_the_bytes_that_are_held)
{
    struct inflight_limits limits;
    struct inflight_limits_pass first = {0}, second = {0}, other = {0};
    inflight_limits_init(&limits, 0, 0);
    CHECK_OK(inflight_limits_enter(&limits, ANN, false, false, &first));
    CHECK_OK(inflight_limits_enter(&limits, ANN, false, false, &second));
    CHECK_OK(inflight_limits_enter(&limits, BEN, false, false, &other));
    CHECK_OK(inflight_limits_hold(&first, 30 * MEGABYTE));
    CHECK_ERROR(inflight_limits_hold(&second, 3 * MEGABYTE), ERROR_TOO_MANY_REQUESTS);
    CHECK_OK(
        inflight_limits_hold(&first, 50 * MEGABYTE)); /* nobody else of this user holds anything */
    CHECK_OK(inflight_limits_hold(&other, 48 * MEGABYTE));
    CHECK_ERROR(inflight_limits_hold(&other, MEGABYTE), ERROR_TOO_MANY_REQUESTS);
    inflight_limits_leave(&first);
    CHECK_OK(inflight_limits_hold(&second, 3 * MEGABYTE));
    CHECK_OK(inflight_limits_hold(NULL, 1000 * MEGABYTE));
    inflight_limits_leave(&second);
    inflight_limits_leave(&other);
    CHECK_EQ(limits.bytes, (size_t)0);
    inflight_limits_done(&limits);
}

static struct error *leave_later(void *data)
{
    TRY(fiber_sleep(SECOND));
    inflight_limits_leave(data);
    return NULL;
}

SIM_TEST(inflight_limits_lets_wait_for_bytes)
{
    struct inflight_limits limits;
    struct inflight_limits_pass first = {0}, second = {0};
    SCOPED(scope) scope = {0};
    inflight_limits_init(&limits, 0, 0);
    CHECK_OK(inflight_limits_enter(&limits, ANN, false, true, &first));
    CHECK_OK(inflight_limits_enter(&limits, ANN, false, true, &second));
    CHECK_OK(inflight_limits_hold(&first, 32 * MEGABYTE));
    scope_start(&scope, "leave", leave_later, &first);
    {
        FIBER_TIMEOUT(SECOND / 2);
        CHECK_ERROR(inflight_limits_wait(&second, MEGABYTE), ERROR_DEADLINE);
    }
    CHECK_OK(inflight_limits_wait(&second, MEGABYTE));
    CHECK_OK(scope_wait(&scope));
    inflight_limits_leave(&second);
    inflight_limits_done(&limits);
}

TEST(inflight_limits_that_is_closed_lets_nobody_in)
{
    struct inflight_limits limits;
    struct inflight_limits_pass pass = {0};
    inflight_limits_init(&limits, 0, 0);
    inflight_limits_close(&limits);
    CHECK_ERROR(inflight_limits_enter(&limits, ADMIN, true, false, &pass),
                ERROR_SERVICE_UNAVAILABLE);
    inflight_limits_leave(&pass);
    inflight_limits_done(&limits);
}
