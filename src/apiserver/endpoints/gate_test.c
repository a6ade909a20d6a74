#include "apiserver/endpoints/gate.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "testing/sim.h"
#include "testing/test.h"

#define ANN   STR("/ann")
#define BEN   STR("/ben")
#define ADMIN STR("/admin")

/* Lets in as many as it can; how many. */
static size_t crowd(struct gate *gate, struct str key, bool is_privileged, bool is_watch,
                    struct gate_pass *passes, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        OWNED(error) err = gate_enter(gate, key, is_privileged, is_watch, &passes[i]);
        if (err) {
            CHECK(error_is(err, ERROR_TOO_MANY_REQUESTS));
            CHECK(err->retry_after > 0);
            return i;
        }
    }
    return most;
}

static void leave_all(struct gate_pass *passes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gate_leave(&passes[i]);
}

TEST(gate_gives_a_user_a_part)
{
    struct gate gate;
    struct gate_pass ann[40] = {0}, ben[40] = {0}, cid[40] = {0}, dan[40] = {0}, admin[40] = {0};
    gate_init(&gate, 40, 0);
    CHECK_EQ(crowd(&gate, ANN, false, false, ann, 40), (size_t)10);
    CHECK_EQ(crowd(&gate, BEN, false, false, ben, 40), (size_t)10);
    CHECK_EQ(crowd(&gate, STR("/cid"), false, false, cid, 40), (size_t)10);
    CHECK_EQ(crowd(&gate, STR("/dan"), false, false, dan, 40), (size_t)0);
    CHECK_EQ(crowd(&gate, ADMIN, true, false, admin, 40), (size_t)10);
    leave_all(ann, 10);
    CHECK_EQ(crowd(&gate, STR("/dan"), false, false, dan, 5), (size_t)5);
    leave_all(ben, 10);
    leave_all(cid, 10);
    leave_all(dan, 5);
    leave_all(admin, 10);
    CHECK_EQ(gate.requests, (size_t)0);
    CHECK_EQ(map_count(&gate.users), (size_t)0);
    gate_done(&gate);
}

TEST(gate_counts_watches_by_user)
{
    struct gate gate;
    struct gate_pass ann[4] = {0}, elsewhere[4] = {0};
    gate_init(&gate, 0, 2);
    CHECK_EQ(crowd(&gate, ANN, false, true, ann, 4), (size_t)2);
    CHECK_EQ(crowd(&gate, STR("vc-0001/ann"), false, true, elsewhere, 4), (size_t)2);
    leave_all(ann, 2);
    CHECK_EQ(crowd(&gate, ANN, false, true, ann, 1), (size_t)1);
    leave_all(ann, 1);
    leave_all(elsewhere, 2);
    gate_done(&gate);
}

TEST(gate_bounds_the_bytes_that_are_held)
{
    struct gate gate;
    struct gate_pass first = {0}, second = {0}, other = {0};
    gate_init(&gate, 0, 0);
    CHECK_OK(gate_enter(&gate, ANN, false, false, &first));
    CHECK_OK(gate_enter(&gate, ANN, false, false, &second));
    CHECK_OK(gate_enter(&gate, BEN, false, false, &other));
    CHECK_OK(gate_hold(&first, 30 * MEGABYTE));
    CHECK_ERROR(gate_hold(&second, 3 * MEGABYTE), ERROR_TOO_MANY_REQUESTS);
    CHECK_OK(gate_hold(&first, 50 * MEGABYTE)); /* nobody else of this user holds anything */
    CHECK_OK(gate_hold(&other, 48 * MEGABYTE));
    CHECK_ERROR(gate_hold(&other, MEGABYTE), ERROR_TOO_MANY_REQUESTS);
    gate_leave(&first);
    CHECK_OK(gate_hold(&second, 3 * MEGABYTE));
    CHECK_OK(gate_hold(NULL, 1000 * MEGABYTE));
    gate_leave(&second);
    gate_leave(&other);
    CHECK_EQ(gate.bytes, (size_t)0);
    gate_done(&gate);
}

static struct error *leave_later(void *data)
{
    TRY(fiber_sleep(SECOND));
    gate_leave(data);
    return NULL;
}

SIM_TEST(gate_lets_wait_for_bytes)
{
    struct gate gate;
    struct gate_pass first = {0}, second = {0};
    SCOPED(scope) scope = {0};
    gate_init(&gate, 0, 0);
    CHECK_OK(gate_enter(&gate, ANN, false, true, &first));
    CHECK_OK(gate_enter(&gate, ANN, false, true, &second));
    CHECK_OK(gate_hold(&first, 32 * MEGABYTE));
    scope_start(&scope, "leave", leave_later, &first);
    {
        FIBER_TIMEOUT(SECOND / 2);
        CHECK_ERROR(gate_wait(&second, MEGABYTE), ERROR_DEADLINE);
    }
    CHECK_OK(gate_wait(&second, MEGABYTE));
    CHECK_OK(scope_wait(&scope));
    gate_leave(&second);
    gate_done(&gate);
}

TEST(gate_that_is_closed_lets_nobody_in)
{
    struct gate gate;
    struct gate_pass pass = {0};
    gate_init(&gate, 0, 0);
    gate_close(&gate);
    CHECK_ERROR(gate_enter(&gate, ADMIN, true, false, &pass), ERROR_SERVICE_UNAVAILABLE);
    gate_leave(&pass);
    gate_done(&gate);
}
