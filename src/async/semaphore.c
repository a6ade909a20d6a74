#include "async/semaphore.h"

#include "async/fiber.h"

struct waiter {
    struct fiber *fiber;
    struct list_link link;
    bool granted;
};

struct error *semaphore_take(struct semaphore *semaphore)
{
    if (!semaphore->initialised) {
        list_init(&semaphore->waiters);
        semaphore->initialised = true;
    }
    if (semaphore->permits > 0) {
        semaphore->permits--;
        return NULL;
    }
    struct waiter waiter = {.fiber = fiber_current()};
    list_append(&semaphore->waiters, &waiter.link);
    struct error *err = fiber_park("a permit");
    list_remove(&waiter.link);
    if (err && waiter.granted)
        semaphore_give(semaphore); /* granted and interrupted at once: the next waiter gets it */
    return err;
}

/*
 * A permit goes straight to the first waiter. If it were only counted, a fiber that asks later
 * could take it before the woken fiber runs.
 */
void semaphore_give(struct semaphore *semaphore)
{
    struct list_link *link = semaphore->initialised ? list_take_first(&semaphore->waiters) : NULL;
    if (!link) {
        semaphore->permits++;
        return;
    }
    struct waiter *waiter = LIST_ENTRY(link, struct waiter, link);
    waiter->granted = true;
    fiber_wake(waiter->fiber);
}
