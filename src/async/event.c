#include "async/event.h"

#include "async/fiber.h"

struct waiter {
    struct fiber *fiber;
    struct list_link link;
};

/*
 * The waiter lies on the stack of the waiting fiber and is in the list only while the fiber is
 * parked.
 */
struct error *event_wait(struct event *event, const char *what)
{
    if (!event->initialised) {
        list_init(&event->waiters);
        event->initialised = true;
    }
    struct waiter waiter = {.fiber = fiber_current()};
    list_append(&event->waiters, &waiter.link);
    struct error *err = fiber_park(what);
    /* A fiber may be woken and interrupted at once. The wake-up then goes to the next waiter. */
    const bool woken = !list_link_is_in(&waiter.link);
    list_remove(&waiter.link);
    if (err && woken)
        event_wake_one(event);
    return err;
}

void event_wake_one(struct event *event)
{
    struct list_link *link = event->initialised ? list_take_first(&event->waiters) : NULL;
    if (link)
        fiber_wake(LIST_ENTRY(link, struct waiter, link)->fiber);
}

void event_wake_all(struct event *event)
{
    while (event_has_waiters(event))
        event_wake_one(event);
}

bool event_has_waiters(const struct event *event)
{
    return event->initialised && !list_is_empty(&event->waiters);
}
