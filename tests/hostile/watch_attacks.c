/* Watches: too many, or one that is never read. */
#include "async/fiber.h"
#include "base/memory.h"
#include "hostile/attacks.h"
#include "hostile/wire.h"

#define COLLECTION  "/api/v1/namespaces/team/configmaps"
#define WATCHES_MAX 20000 /* of one user */
#define PER_CONN    250
#define WRITE_MOST  (10 * SECOND)
#define READ_MOST   (10 * SECOND)
#define EVENT_SIZE  (500 * KILOBYTE)

static struct error *open_watches(struct stage *stage, struct transport **ret_transport)
{
    SCOPED(buf) bytes = {0};
    wire_preface(&bytes, UINT32_MAX);
    for (uint32_t i = 0; i < PER_CONN; i++)
        wire_request(&bytes, 2 * i + 1, "GET", COLLECTION "?watch=true", stage->limited, true);
    TRY(wire_open_tls(stage, NULL, true, ret_transport));
    wire_write(*ret_transport, buf_str(&bytes), WRITE_MOST);
    return NULL;
}

/* The next one is told to come again, and a watch of somebody else is not. */
static struct error *check_limit(struct stage *stage)
{
    const struct stage_request request = {.path = COLLECTION "?watch=true"};
    struct stage_request more = request;
    more.token = stage->limited;
    if (!stage->is_small)
        TRY(stage_expect(stage->plain, &more, 429));
    return stage_expect(stage->admin, &request, 200);
}

struct error *attack_by_many_watches(struct stage *stage)
{
    const size_t count = (stage->is_small ? 1000 : WATCHES_MAX + 500) / PER_CONN;
    struct transport **transports = mem_alloc_zero(count * sizeof(struct transport *));
    struct error *err = NULL;
    for (size_t i = 0; i < count && !err; i++)
        err = open_watches(stage, &transports[i]);
    if (!err)
        err = fiber_sleep(SECOND);
    if (!err)
        err = check_limit(stage);
    for (size_t i = 0; i < count; i++)
        transport_free(transports[i]);
    mem_free(transports);
    return err;
}

static struct error *write_events(struct stage *stage, size_t bytes)
{
    SCOPED(buf) body = {0};
    for (size_t i = 0; i < bytes / EVENT_SIZE; i++) {
        buf_clear(&body);
        buf_print(&body, "{\"data\":{\"n\":\"%zu\",\"x\":\"", i);
        for (size_t n = 0; n < EVENT_SIZE; n++)
            buf_add_char(&body, 'x');
        buf_add(&body, STR("\"}}"));
        const struct stage_request request = {.method = "PATCH",
                                              .path = COLLECTION "/loud",
                                              .type = "application/merge-patch+json",
                                              .body = buf_c(&body)};
        TRY(stage_expect(stage->admin, &request, 200));
    }
    return NULL;
}

static struct error *open_deaf(struct stage *stage, bool http2, struct transport **ret_transport)
{
    SCOPED(buf) bytes = {0};
    if (http2) {
        wire_preface(&bytes, 0);
        wire_request(&bytes, 1, "GET", COLLECTION "?watch=true", stage->limited, true);
    } else {
        buf_print(&bytes,
                  "GET " COLLECTION "?watch=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                  "%.*s\r\n\r\n",
                  STR_ARG(stage->limited));
    }
    TRY(wire_open_tls(stage, NULL, http2, ret_transport));
    wire_write(*ret_transport, buf_str(&bytes), WRITE_MOST);
    return NULL;
}

struct error *attack_by_a_watcher_that_never_reads(struct stage *stage)
{
    OWNED(transport) first = NULL;
    OWNED(transport) second = NULL;
    const struct stage_request create = {.method = "POST",
                                         .path = COLLECTION,
                                         .type = "application/json",
                                         .body = "{\"metadata\":{\"name\":\"loud\"}}"};
    TRY(stage_expect(stage->admin, &create, 201));
    TRY(open_deaf(stage, false, &first));
    TRY(open_deaf(stage, true, &second));
    TRY(write_events(stage, stage->is_small ? 20 * MEGABYTE : 100 * MEGABYTE));
    const struct stage_request remove = {
        .method = "DELETE", .path = COLLECTION, .accept = WIRE_METADATA};
    return stage_expect(stage->admin, &remove, 200);
}
