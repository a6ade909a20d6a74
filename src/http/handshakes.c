/*
 * Each connection is in one of three lists, in this order:
 *
 *     silent    its first record is awaited, without a fiber (on_readable())
 *     waiting   the record is there; start_handshakes() takes the newest first
 *     begun     a fiber makes the handshake (run_handshake())
 *
 * Of the silent ones and of those that have begun there are at most so many; the oldest makes room
 * for one more, but not before it had time for its round trips.
 */
#include "http/handshakes.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/memory.h"
#include "net/tls.h"
#include "net/transport.h"

/*
 * A few begin per turn of the loop, the newest first: in a flood, clients that just connected get
 * through, while old ones have probably given up.
 */
#define BEGIN_PER_TURN 16
#define BEGUN_MAX      1000
#define BEGUN_PAUSE    (5 * MILLISECOND)
#define SILENT_MAX     1000
#define DROP_PAUSE     (MILLISECOND / 10) /* one at a time: closing takes time, too */
#define ROUND_TRIPS    (250 * MILLISECOND)

/* A record of TLS: its type, a version, a length, and so many bytes. */
#define RECORD_HEAD      5
#define RECORD_HANDSHAKE 22
/* A first record that is longer is read in the handshake. */
#define FIRST_MAX (4 * KILOBYTE)

struct handshake {
    struct list_link link; /* in none once it is cancelled */
    struct handshakes *handshakes;
    struct transport *transport;
    struct buf first; /* bytes of the client */
    struct fiber *fiber;
    int64_t since; /* by loop_now(): accepted, or begun */
    bool is_surplus;
};

static void handshake_free(struct handshake *handshake)
{
    transport_free(handshake->transport);
    buf_done(&handshake->first);
    mem_free(handshake);
}

/* Frees the handshake; transport is what came of it. */
static void handshake_end(struct handshake *handshake, struct transport *transport)
{
    struct handshakes *handshakes = handshake->handshakes;
    const bool is_surplus = handshake->is_surplus;
    handshake_free(handshake);
    handshakes->done(handshakes->owner, transport, is_surplus);
}

enum first_words {
    FIRST_INCOMPLETE,
    FIRST_RECORD, /* as much of it as the handshake can begin with */
    FIRST_HTTP,
    FIRST_FOREIGN,
};

/* The starts of requests as long as a record's head, as Go's servers know them. */
static bool is_http(struct str bytes)
{
    static const char *const starts[] = {"GET /", "HEAD ", "POST ", "PUT /", "OPTIO"};
    for (size_t i = 0; i < COUNT(starts); i++)
        if (str_starts_with(bytes, str_from_c(starts[i])))
            return true;
    return false;
}

static enum first_words first_words_read(struct str bytes)
{
    if (bytes.len < RECORD_HEAD)
        return FIRST_INCOMPLETE;
    if (is_http(bytes))
        return FIRST_HTTP;
    if ((uint8_t)bytes.ptr[0] != RECORD_HANDSHAKE)
        return FIRST_FOREIGN;
    const size_t len = (size_t)(uint8_t)bytes.ptr[3] << 8 | (uint8_t)bytes.ptr[4];
    return bytes.len >= RECORD_HEAD + len || bytes.len >= FIRST_MAX ? FIRST_RECORD
                                                                    : FIRST_INCOMPLETE;
}

static void drop_silent(void *data);

/* Sets the timer for the oldest one, which is dropped after a pause at the earliest. */
static void watch_silent(struct handshakes *handshakes, duration pause)
{
    struct list_link *first = list_first(&handshakes->silent);
    if (!first) {
        timer_stop(handshakes->loop, &handshakes->silent_timer);
        return;
    }
    const duration most = handshakes->silent_count > SILENT_MAX ? ROUND_TRIPS : handshakes->timeout;
    const int64_t due = LIST_ENTRY(first, struct handshake, link)->since + most;
    const int64_t earliest = loop_now(handshakes->loop) + pause;
    timer_start(handshakes->loop, &handshakes->silent_timer, due < earliest ? earliest : due,
                drop_silent, handshakes);
}

static void leave_silent(struct handshake *handshake)
{
    struct handshakes *handshakes = handshake->handshakes;
    transport_want(handshake->transport, 0);
    transport_set_ready(handshake->transport, NULL, NULL);
    list_remove(&handshake->link);
    handshakes->silent_count--;
}

/* The oldest one has had its time. */
static void drop_silent(void *data)
{
    struct handshakes *handshakes = data;
    struct handshake *oldest = LIST_ENTRY(list_first(&handshakes->silent), struct handshake, link);
    leave_silent(oldest);
    watch_silent(handshakes, DROP_PAUSE);
    log_v(4, "A client did not begin its TLS handshake in time");
    handshake_end(oldest, NULL);
}

/* What Go's servers say to a client that has taken the port for a plain one. */
static void tell_http_client(struct transport *transport)
{
    size_t sent;
    (void)transport_send(transport,
                         STR("HTTP/1.0 400 Bad Request\r\n\r\n"
                             "Client sent an HTTP request to an HTTPS server.\n"),
                         &sent);
}

/* Receives what has come. On the loop. */
static enum first_words receive_first_words(struct handshake *handshake)
{
    char bytes[FIRST_MAX];
    size_t len = 0;
    switch (transport_receive(handshake->transport, bytes, sizeof(bytes), &len)) {
    case TRANSPORT_OK:
        buf_add(&handshake->first, str_from(bytes, len));
        return first_words_read(buf_str(&handshake->first));
    case TRANSPORT_WAIT:
        return FIRST_INCOMPLETE;
    default:
        return FIRST_FOREIGN;
    }
}

static void on_readable(void *data)
{
    struct handshake *handshake = data;
    struct handshakes *handshakes = handshake->handshakes;
    const enum first_words words = receive_first_words(handshake);
    if (words == FIRST_INCOMPLETE)
        return;
    leave_silent(handshake);
    watch_silent(handshakes, 0);
    if (words == FIRST_RECORD) {
        list_prepend(&handshakes->waiting, &handshake->link);
        event_wake_all(&handshakes->arrived);
        return;
    }
    if (words == FIRST_HTTP)
        tell_http_client(handshake->transport);
    handshake_end(handshake, NULL);
}

void handshakes_add(struct handshakes *handshakes, struct transport *transport, bool is_surplus)
{
    struct handshake *handshake = NEW(struct handshake);
    *handshake = (struct handshake){
        .handshakes = handshakes,
        .transport = transport,
        .since = loop_now(handshakes->loop),
        .is_surplus = is_surplus,
    };
    list_append(&handshakes->silent, &handshake->link);
    handshakes->silent_count++;
    watch_silent(handshakes, 0);
    transport_set_ready(transport, on_readable, handshake);
    transport_want(transport, TRANSPORT_READABLE);
}

/* Takes the transport of the handshake. Suspends. */
static struct error *make_handshake(struct handshake *handshake, struct transport **ret_transport)
{
    FIBER_TIMEOUT(handshake->handshakes->timeout);
    return tls_accept(handshake->handshakes->tls, TAKE(handshake->transport),
                      buf_str(&handshake->first), ret_transport);
}

/* The fiber of one handshake. A failed handshake is logged at a high level only. */
static struct error *run_handshake(void *data)
{
    struct handshake *handshake = data;
    struct transport *transport = NULL;
    OWNED(error) err = make_handshake(handshake, &transport);
    if (err)
        log_v(4, "TLS handshake failed", LOG_ERROR(err));
    handshake->handshakes->begun_count--;
    list_remove(&handshake->link);
    handshake_end(handshake, transport);
    return NULL;
}

/* Whether the client has had time for its round trips. */
static bool has_had_time(const struct handshake *handshake)
{
    return loop_now(handshake->handshakes->loop) - handshake->since >= ROUND_TRIPS;
}

/* Cancels the oldest handshake that has begun. False: there is none that has had its time. */
static bool drop_begun(struct handshakes *handshakes)
{
    struct list_link *first = list_first(&handshakes->begun);
    struct handshake *oldest = first ? LIST_ENTRY(first, struct handshake, link) : NULL;
    if (!oldest || !has_had_time(oldest))
        return false;
    list_remove(&oldest->link);
    fiber_cancel(oldest->fiber);
    return true;
}

bool handshakes_drop(struct handshakes *handshakes)
{
    struct list_link *first = list_first(&handshakes->silent);
    if (!first || !has_had_time(LIST_ENTRY(first, struct handshake, link)))
        return drop_begun(handshakes);
    drop_silent(handshakes);
    return true;
}

static void begin_handshake(struct handshakes *handshakes, struct handshake *handshake)
{
    handshake->since = loop_now(handshakes->loop);
    list_append(&handshakes->begun, &handshake->link);
    handshakes->begun_count++;
    handshake->fiber = scope_start(&handshakes->fibers, "http handshake", run_handshake, handshake);
}

/* The fiber that starts handshakes, a few per turn of the loop. */
static struct error *start_handshakes(void *data)
{
    struct handshakes *handshakes = data;
    for (;;) {
        while (list_is_empty(&handshakes->waiting))
            TRY(event_wait(&handshakes->arrived, "a TLS client"));
        bool has_room = true;
        for (int i = 0; i < BEGIN_PER_TURN && has_room; i++) {
            struct list_link *next = list_first(&handshakes->waiting);
            if (!next)
                break;
            has_room = handshakes->begun_count < BEGUN_MAX || drop_begun(handshakes);
            if (has_room) {
                list_remove(next);
                begin_handshake(handshakes, LIST_ENTRY(next, struct handshake, link));
            }
        }
        TRY(has_room ? fiber_yield() : fiber_sleep(BEGUN_PAUSE));
    }
}

void handshakes_init(struct handshakes *handshakes, struct loop *loop, struct tls_server *tls,
                     duration timeout, handshakes_fn done, void *owner)
{
    *handshakes = (struct handshakes){
        .loop = loop,
        .tls = tls,
        .timeout = timeout,
        .done = done,
        .owner = owner,
    };
    list_init(&handshakes->silent);
    list_init(&handshakes->waiting);
    list_init(&handshakes->begun);
    scope_start(&handshakes->starter, "http handshakes", start_handshakes, handshakes);
}

void handshakes_stop(struct handshakes *handshakes)
{
    scope_done(&handshakes->starter);
    timer_stop(handshakes->loop, &handshakes->silent_timer);
    LIST_FOREACH (struct handshake, handshake, &handshakes->silent, link) {
        leave_silent(handshake);
        handshake_end(handshake, NULL);
    }
    LIST_FOREACH (struct handshake, handshake, &handshakes->waiting, link) {
        list_remove(&handshake->link);
        handshake_end(handshake, NULL);
    }
}

void handshakes_done(struct handshakes *handshakes)
{
    handshakes_stop(handshakes);
    scope_done(&handshakes->fibers);
}
