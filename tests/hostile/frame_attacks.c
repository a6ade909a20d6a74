/* HTTP/2 that keeps to the letter, or not even that. */
#include "async/fiber.h"
#include "base/memory.h"
#include "hostile/attacks.h"
#include "hostile/wire.h"

#define COLLECTION  "/api/v1/namespaces/team/configmaps"
#define FLOOD_BYTES (32 * MEGABYTE)
#define PIECE       (16 * KILOBYTE)
#define WRITE_MAX   (5 * SECOND)
#define CLOSE_MAX   (5 * SECOND)
#define HOLD        (2 * SECOND)
#define LARGE_COUNT 20
#define LARGE_SIZE  (512 * KILOBYTE)

typedef void flood_fn(struct buf *out, uint32_t i, struct str token);

static void add_ping(struct buf *out, uint32_t i, struct str token)
{
    (void)i, (void)token;
    wire_frame(out, WIRE_PING, 0, 0, STR("12345678"));
}

static void add_settings(struct buf *out, uint32_t i, struct str token)
{
    (void)i, (void)token;
    wire_frame(out, WIRE_SETTINGS, 0, 0, STR("\0\x04\0\0\0\x01"));
}

static void add_reset_request(struct buf *out, uint32_t i, struct str token)
{
    wire_request(out, 2 * i + 1, "GET", COLLECTION, token, true);
    wire_frame(out, WIRE_RST_STREAM, 0, 2 * i + 1, STR("\0\0\0\x08"));
}

static void add_reset_watch(struct buf *out, uint32_t i, struct str token)
{
    wire_request(out, 2 * i + 1, "GET", COLLECTION "?watch=true", token, true);
    wire_frame(out, WIRE_RST_STREAM, 0, 2 * i + 1, STR("\0\0\0\x08"));
}

static void add_reset_write(struct buf *out, uint32_t i, struct str token)
{
    wire_request(out, 2 * i + 1, "POST", COLLECTION, token, false);
    wire_frame(out, WIRE_RST_STREAM, 0, 2 * i + 1, STR("\0\0\0\x08"));
}

static void add_provoked_reset(struct buf *out, uint32_t i, struct str token)
{
    wire_request(out, 2 * i + 1, "GET", COLLECTION, token, true);
    wire_frame(out, WIRE_WINDOW_UPDATE, 0, 2 * i + 1, STR("\0\0\0\0"));
}

static void add_continuation(struct buf *out, uint32_t i, struct str token)
{
    SCOPED(buf) block = {0};
    (void)token;
    wire_field(&block, STR("x"), STR("y"));
    if (i == 0)
        wire_frame(out, WIRE_HEADERS, 0, 1, STR("\x82"));
    wire_frame(out, WIRE_CONTINUATION, 0, 1, buf_str(&block));
}

static void add_empty_continuation(struct buf *out, uint32_t i, struct str token)
{
    (void)token;
    if (i == 0)
        wire_frame(out, WIRE_HEADERS, 0, 1, STR("\x82"));
    wire_frame(out, WIRE_CONTINUATION, 0, 1, STR(""));
}

static void add_empty_data(struct buf *out, uint32_t i, struct str token)
{
    if (i == 0)
        wire_request(out, 1, "POST", COLLECTION, token, false);
    wire_frame(out, WIRE_DATA, 0, 1, STR(""));
}

static void add_priority(struct buf *out, uint32_t i, struct str token)
{
    (void)token;
    wire_frame(out, WIRE_PRIORITY, 0, 2 * i + 1, STR("\0\0\0\0\x10"));
}

/* Sends without reading until the server has had enough. */
static struct error *check_flood(struct hostile_fixture *fixture, const char *name, flood_fn *add)
{
    OWNED(transport) transport = NULL;
    SCOPED(buf) bytes = {0};
    bool closed;
    TRY(wire_open_tls(fixture, NULL, true, &transport));
    uint32_t i = 0;
    for (size_t sent = 0; sent < FLOOD_BYTES; sent += bytes.len) {
        buf_clear(&bytes);
        if (i == 0)
            wire_preface(&bytes, UINT32_MAX);
        while (bytes.len < PIECE)
            add(&bytes, i++, fixture->limited);
        if (!wire_write(transport, buf_str(&bytes), WRITE_MAX))
            return NULL; /* it has closed, or takes no more */
        TRY(fiber_yield());
    }
    TRY(wire_wait_closed(transport, CLOSE_MAX, &closed));
    return closed ? NULL : error_new(ERROR_INVALID, "a flood of %s is put up with", name);
}

struct error *attack_by_floods(struct hostile_fixture *fixture)
{
    static const struct {
        const char *name;
        flood_fn *add;
    } rows[] = {
        {"pings",                  add_ping              },
        {"settings",               add_settings          },
        {"requests reset at once", add_reset_request     },
        {"watches reset at once",  add_reset_watch       },
        {"writes reset at once",   add_reset_write       },
        {"provoked resets",        add_provoked_reset    },
        {"continuations",          add_continuation      },
        {"empty continuations",    add_empty_continuation},
        {"empty data",             add_empty_data        },
        {"priorities",             add_priority          },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        TRY(check_flood(fixture, rows[i].name, rows[i].add));
    return NULL;
}

/* Something large to be asked for. */
static struct error *put_large_objects(struct hostile_fixture *fixture)
{
    SCOPED(buf) body = {0};
    for (int i = 0; i < LARGE_COUNT; i++) {
        buf_clear(&body);
        buf_print(&body, "{\"metadata\":{\"name\":\"large-%d\"},\"data\":{\"x\":\"", i);
        for (size_t n = 0; n < LARGE_SIZE; n++)
            buf_add_char(&body, 'x');
        buf_add(&body, STR("\"}}"));
        const struct hostile_fixture_request request = {
            .method = "POST", .path = COLLECTION, .type = "application/json", .body = buf_c(&body)};
        TRY(hostile_fixture_expect(fixture->admin, &request, 201));
    }
    return NULL;
}

/* Requests on every stream of a connection, for answers that are never let through. */
static struct error *open_closed(struct hostile_fixture *fixture, struct transport **ret_transport)
{
    SCOPED(buf) bytes = {0};
    wire_preface(&bytes, 0);
    for (uint32_t i = 0; i < 250; i++)
        wire_request(&bytes, 2 * i + 1, "GET",
                     i % 2 ? COLLECTION : COLLECTION "?watch=true&resourceVersion=0",
                     fixture->limited, true);
    TRY(wire_open_tls(fixture, NULL, true, ret_transport));
    wire_write(*ret_transport, buf_str(&bytes), WRITE_MAX);
    return NULL;
}

struct error *attack_by_closed_windows(struct hostile_fixture *fixture)
{
    struct transport *transports[8] = {0};
    const size_t count = fixture->is_small ? 2 : COUNT(transports);
    struct error *err = put_large_objects(fixture);
    for (size_t i = 0; i < count && !err; i++)
        err = open_closed(fixture, &transports[i]);
    if (!err)
        err = fiber_sleep(HOLD);
    for (size_t i = 0; i < count; i++)
        transport_free(transports[i]);
    const struct hostile_fixture_request remove = {
        .method = "DELETE", .path = COLLECTION, .accept = WIRE_METADATA};
    return err ? err : hostile_fixture_expect(fixture->admin, &remove, 200);
}
