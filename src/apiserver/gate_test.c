#include "apiserver/gate.h"

#include "testing/test.h"

TEST(gate_counts_requests)
{
    SCOPED(gate) gate;
    gate_init(&gate, 2, 0);
    CHECK_OK(gate_enter(&gate));
    CHECK_OK(gate_enter(&gate));
    CHECK_ERROR(gate_enter(&gate), ERROR_TOO_MANY_REQUESTS);
    gate_leave(&gate);
    CHECK_OK(gate_enter(&gate));
    gate_leave(&gate);
    gate_leave(&gate);
    CHECK_EQ(gate.requests, (size_t)0);
}

TEST(gate_counts_watches_of_each_user)
{
    SCOPED(gate) gate;
    gate_init(&gate, 1, 2);
    CHECK_OK(gate_enter_watch(&gate, STR("a")));
    CHECK_OK(gate_enter_watch(&gate, STR("a")));
    CHECK_ERROR(gate_enter_watch(&gate, STR("a")), ERROR_TOO_MANY_REQUESTS);
    CHECK_OK(gate_enter_watch(&gate, STR("b")));
    CHECK_OK(gate_enter(&gate)); /* which are counted apart */
    gate_leave_watch(&gate, STR("a"));
    CHECK_OK(gate_enter_watch(&gate, STR("a")));
    gate_leave_watch(&gate, STR("a"));
    gate_leave_watch(&gate, STR("a"));
    gate_leave_watch(&gate, STR("b"));
    CHECK_EQ(map_count(&gate.watches), (size_t)0); /* users that left are forgotten */
}

TEST(gate_that_is_closed_lets_nobody_in)
{
    SCOPED(gate) gate;
    gate_init(&gate, 0, 0);
    CHECK_OK(gate_enter(&gate));
    gate_close(&gate);
    CHECK_ERROR(gate_enter(&gate), ERROR_SERVICE_UNAVAILABLE);
    CHECK_ERROR(gate_enter_watch(&gate, STR("a")), ERROR_SERVICE_UNAVAILABLE);
    gate_leave(&gate);
}
