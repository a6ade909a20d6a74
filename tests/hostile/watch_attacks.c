/* Watches: too many, or one that is never read. */
#include "async/fiber.h"
#include "base/memory.h"
#include "hostile/attacks.h"
#include "hostile/wire.h"

#define COLLECTION  "/api/v1/namespaces/team/configmaps"
#define WATCHES_MAX 20000 /* of one user */
#define PER_CONN    250
#define WRITE_MAX   (10 * SECOND)
#define READ_MAX    (10 * SECOND)
#define LIMIT_MAX   (60 * SECOND)
#define EVENT_SIZE  (500 * KILOBYTE)

static struct error *open_watches(struct hostile_fixture *fixture, struct transport **ret_transport)
{
    SCOPED(buf) bytes = {0};
    wire_preface(&bytes, UINT32_MAX);
    for (uint32_t i = 0; i < PER_CONN; i++)
        wire_request(&bytes, 2 * i + 1, "GET", COLLECTION "?watch=true", fixture->limited, true);
    TRY(wire_open_tls(fixture, NULL, true, ret_transport));
    wire_write(*ret_transport, buf_str(&bytes), WRITE_MAX);
    return NULL;
}

/*
 * The next one is told to come again, and a watch of somebody else is not. The server opens the
 * watches in turns with what others want, so that a new connection may get ahead of them.
 */
static struct error *check_limit(struct hostile_fixture *fixture)
{
    SCOPED(hostile_fixture_answer) answer = {0};
    const struct hostile_fixture_request request = {.path = COLLECTION "?watch=true"};
    struct hostile_fixture_request more = request;
    more.token = fixture->limited;
    FIBER_TIMEOUT(LIMIT_MAX);
    while (!fixture->is_small && answer.status != 429)
        TRY(hostile_fixture_send(fixture->plain, &more, &answer), "wait until no more fits");
    return hostile_fixture_expect(fixture->admin, &request, 200);
}

struct error *attack_by_many_watches(struct hostile_fixture *fixture)
{
    const size_t count = (fixture->is_small ? 1000 : WATCHES_MAX + 500) / PER_CONN;
    struct transport **transports = mem_alloc_zero(count * sizeof(struct transport *));
    struct error *err = NULL;
    for (size_t i = 0; i < count && !err; i++)
        err = open_watches(fixture, &transports[i]);
    if (!err)
        err = fiber_sleep(SECOND);
    if (!err)
        err = check_limit(fixture);
    for (size_t i = 0; i < count; i++)
        transport_free(transports[i]);
    mem_free(transports);
    return err;
}

static struct error *write_events(struct hostile_fixture *fixture, size_t bytes)
{
    SCOPED(buf) body = {0};
    for (size_t i = 0; i < bytes / EVENT_SIZE; i++) {
        buf_clear(&body);
        buf_print(&body, "{\"data\":{\"n\":\"%zu\",\"x\":\"", i);
        for (size_t n = 0; n < EVENT_SIZE; n++)
            buf_add_char(&body, 'x');
        buf_add(&body, STR("\"}}"));
        const struct hostile_fixture_request request = {.method = "PATCH",
                                                        .path = COLLECTION "/loud",
                                                        .type = "application/merge-patch+json",
                                                        .body = buf_c(&body)};
        TRY(hostile_fixture_expect(fixture->admin, &request, 200));
    }
    return NULL;
}

static struct error *open_deaf(struct hostile_fixture *fixture, bool http2,
                               struct transport **ret_transport)
{
    SCOPED(buf) bytes = {0};
    if (http2) {
        wire_preface(&bytes, 0);
        wire_request(&bytes, 1, "GET", COLLECTION "?watch=true", fixture->limited, true);
    } else {
        buf_print(&bytes,
                  "GET " COLLECTION "?watch=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                  "%.*s\r\n\r\n",
                  STR_ARG(fixture->limited));
    }
    TRY(wire_open_tls(fixture, NULL, http2, ret_transport));
    wire_write(*ret_transport, buf_str(&bytes), WRITE_MAX);
    return NULL;
}

struct error *attack_by_a_watcher_that_never_reads(struct hostile_fixture *fixture)
{
    OWNED(transport) first = NULL;
    OWNED(transport) second = NULL;
    const struct hostile_fixture_request create = {.method = "POST",
                                                   .path = COLLECTION,
                                                   .type = "application/json",
                                                   .body = "{\"metadata\":{\"name\":\"loud\"}}"};
    TRY(hostile_fixture_expect(fixture->admin, &create, 201));
    TRY(open_deaf(fixture, false, &first));
    TRY(open_deaf(fixture, true, &second));
    TRY(write_events(fixture, fixture->is_small ? 20 * MEGABYTE : 100 * MEGABYTE));
    const struct hostile_fixture_request remove = {
        .method = "DELETE", .path = COLLECTION, .accept = WIRE_METADATA};
    return hostile_fixture_expect(fixture->admin, &remove, 200);
}
