/* Connections that are opened and not used. */
#include <sys/resource.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "hostile/attacks.h"
#include "hostile/wire.h"

#define HOLD          (2 * SECOND)
#define HANDSHAKE_MAX (15 * SECOND)
#define OPENERS       16
#define WRITE_MAX     (5 * SECOND)

/* How many connections this process may have, which it may not know. */
static size_t affordable(size_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    const size_t most = limit.rlim_cur > 500 ? (size_t)limit.rlim_cur - 300 : 200;
    if (most < wanted)
        fprintf(stderr, "hostile: %zu connections instead of %zu: no more descriptors\n", most,
                wanted);
    return wanted < most ? wanted : most;
}

/* A crowd of connections, opened by several fibers, each with the same first words. */
struct crowd {
    struct hostile_fixture *fixture;
    struct str words;
    bool tls;
    struct transport **items;
    size_t count, opened;
};

static struct error *open_some(void *data)
{
    struct crowd *crowd = data;
    while (crowd->opened < crowd->count) {
        struct transport **place = &crowd->items[crowd->opened++];
        if (crowd->tls)
            TRY(wire_open_tls(crowd->fixture, NULL, false, place), "connection %zu", crowd->opened);
        else
            TRY(wire_open(crowd->fixture, place), "connection %zu", crowd->opened);
        if (crowd->words.len)
            wire_write(*place, crowd->words, WRITE_MAX);
    }
    return NULL;
}

static struct error *crowd_open(struct crowd *crowd, size_t count)
{
    SCOPED(scope) scope = {0};
    crowd->count = affordable(count);
    crowd->items = mem_alloc_zero(crowd->count * sizeof(crowd->items[0]));
    for (int i = 0; i < OPENERS; i++)
        scope_start(&scope, "opener", open_some, crowd);
    return scope_wait(&scope);
}

static void crowd_done(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->count; i++)
        transport_free(crowd->items[i]);
    mem_free(crowd->items);
}

/* The server does not wait for ever. */
static struct error *check_closed(struct crowd *crowd, duration most)
{
    bool closed;
    TRY(wire_wait_closed(crowd->items[0], most, &closed));
    return closed ? NULL : error_new(ERROR_INVALID, "the server waits for ever");
}

/* More than the server takes, with and without a credential. */
struct error *attack_by_idle_connections(struct hostile_fixture *fixture)
{
    SCOPED(crowd) crowd = {.fixture = fixture, .tls = true};
    TRY(crowd_open(&crowd, fixture->is_small ? 1300 : 7000));
    return fiber_sleep(HOLD);
}

/* The words fit into a buffer of the system; nobody reads the answers. */
struct error *attack_by_many_connections(struct hostile_fixture *fixture)
{
    SCOPED(buf) words = {.secret = true};
    buf_print(&words,
              "GET /clusters/vc-0001/version HTTP/1.1\r\nHost: a\r\n"
              "Authorization: Bearer %.*s\r\n\r\n",
              STR_ARG(fixture->clusters[0].auth.token));
    SCOPED(crowd) crowd = {.fixture = fixture, .words = buf_str(&words), .tls = true};
    TRY(crowd_open(&crowd, fixture->is_small ? 1300 : 7000));
    return fiber_sleep(HOLD);
}

struct error *attack_by_silent_connections(struct hostile_fixture *fixture)
{
    SCOPED(crowd) crowd = {.fixture = fixture};
    TRY(crowd_open(&crowd, fixture->is_small ? 1000 : 5000));
    return fiber_sleep(HOLD);
}

struct error *attack_by_half_handshakes(struct hostile_fixture *fixture)
{
    SCOPED(buf) hello = {0};
    TRY(wire_client_hello(fixture, &hello));
    SCOPED(crowd) begun = {.fixture = fixture, .words = str_slice(buf_str(&hello), 0, 100)};
    TRY(crowd_open(&begun, fixture->is_small ? 300 : 2500));
    SCOPED(crowd) answered = {.fixture = fixture, .words = buf_str(&hello)};
    TRY(crowd_open(&answered, fixture->is_small ? 300 : 2500));
    TRY(fiber_sleep(HOLD));
    TRY(check_closed(&begun, HANDSHAKE_MAX), "half a greeting");
    return check_closed(&answered, HANDSHAKE_MAX);
}

struct error *attack_by_slow_heads(struct hostile_fixture *fixture)
{
    const duration first = 30 * SECOND; /* the server's patience with a new connection */
    SCOPED(crowd)
    crowd = {.fixture = fixture, .words = STR("GET /healthz HTTP/1.1\r\nX-Slow: "), .tls = true};
    TRY(crowd_open(&crowd, fixture->is_small ? 200 : 1000));
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < crowd.count; i++)
            wire_write(crowd.items[i], STR("x"), WRITE_MAX);
        TRY(fiber_sleep(HOLD / 10));
    }
    return fixture->is_small ? NULL : check_closed(&crowd, first);
}
