#include "apiserver/gate.h"

#include "api/status.h"
#include "async/fiber.h"

#define REQUESTS_DEFAULT 1000
#define WATCHES_DEFAULT  20000

void gate_init(struct gate *gate, size_t requests_max, size_t watches_max)
{
    *gate = (struct gate){
        .requests_max = requests_max ? requests_max : REQUESTS_DEFAULT,
        .watches_max = watches_max ? watches_max : WATCHES_DEFAULT,
    };
    list_init(&gate->stays);
}

void gate_done(struct gate *gate)
{
    map_done(&gate->watches);
}

void gate_close(struct gate *gate)
{
    gate->is_closed = true;
    LIST_FOREACH (struct gate_stay, stay, &gate->stays, link)
        fiber_cancel(stay->fiber);
}

void gate_stay_begin(struct gate *gate, struct gate_stay *stay)
{
    *stay = (struct gate_stay){.fiber = fiber_current()};
    list_append(&gate->stays, &stay->link);
    if (gate->is_closed)
        fiber_cancel(stay->fiber);
}

void gate_stay_end(struct gate_stay *stay)
{
    list_remove(&stay->link);
}

static struct error *check_open(const struct gate *gate)
{
    return gate->is_closed ? error_new(ERROR_SERVICE_UNAVAILABLE, "the server is shutting down")
                           : NULL;
}

struct error *gate_enter(struct gate *gate)
{
    TRY(check_open(gate));
    if (gate->requests >= gate->requests_max)
        return status_too_many_requests(STR("Too many requests, please try again later."), 1);
    gate->requests++;
    return NULL;
}

void gate_leave(struct gate *gate)
{
    gate->requests--;
}

/* The count of a user is kept in the place of the map's value. */
static size_t watches_of(const struct gate *gate, struct str user)
{
    const struct map_entry *entry = map_find_entry(&gate->watches, user);
    return entry ? (size_t)entry->value : 0;
}

struct error *gate_enter_watch(struct gate *gate, struct str user)
{
    TRY(check_open(gate));
    const size_t count = watches_of(gate, user);
    if (count >= gate->watches_max)
        return status_too_many_requests(STR("too many watches of this user are open"), 5);
    map_put(&gate->watches, user, (void *)(count + 1)); /* NOLINT: a number, no address */
    return NULL;
}

void gate_leave_watch(struct gate *gate, struct str user)
{
    const size_t count = watches_of(gate, user);
    if (count > 1)
        map_put(&gate->watches, user, (void *)(count - 1)); /* NOLINT: a number, no address */
    else
        map_remove(&gate->watches, user);
}
