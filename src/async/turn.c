#include "async/turn.h"

#include "async/loop_internal.h"

struct error *turn_take(void)
{
    struct loop *loop = loop_current();
    if (!loop->turn_taken && !turn_is_awaited(loop)) {
        loop->turn_taken = true;
        return NULL;
    }
    return event_wait(&loop->turns, "its turn");
}

bool turn_is_awaited(const struct loop *loop)
{
    return event_has_waiters(&loop->turns);
}
