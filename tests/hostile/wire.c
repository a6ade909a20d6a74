#include "hostile/wire.h"

#include "async/fiber.h"
#include "net/network.h"
#include "net/tls.h"
#include "net/transport.h"
#include "testing/client_hello.h"

#define MAGIC      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define READ_BYTES (16 * KILOBYTE)

struct error *wire_open(const struct hostile_fixture *fixture, struct transport **ret_transport)
{
    return network_connect(fixture->network, fixture->config.server.host,
                           fixture->config.server.port, ret_transport);
}

struct error *wire_open_tls(const struct hostile_fixture *fixture, struct tls_identity *identity,
                            bool http2, struct transport **ret_transport)
{
    struct transport *lower;
    const struct tls_client_options options = {
        .server_name = fixture->config.server.host,
        .identity = identity,
        .trust = fixture->config.tls.trust,
        .http2 = http2,
    };
    TRY(wire_open(fixture, &lower));
    return tls_connect(fixture->tls, lower, &options, ret_transport);
}

static struct error *read_until_closed(struct transport *transport, struct buf *out)
{
    for (;;) {
        size_t len;
        char *room = buf_reserve(out, READ_BYTES);
        if (!room)
            return buf_check(out);
        TRY(transport_read(transport, room, READ_BYTES, &len));
        if (len == 0)
            return NULL;
        buf_grow(out, len);
    }
}

struct error *wire_talk(const struct hostile_fixture *fixture, struct str bytes, duration most,
                        struct buf *answer)
{
    OWNED(transport) transport = NULL;
    FIBER_TIMEOUT(most);
    TRY(wire_open_tls(fixture, fixture->config.tls.identity, false, &transport));
    error_free(transport_write(transport, bytes));
    error_free(read_until_closed(transport, answer));
    return buf_check(answer);
}

struct error *wire_client_hello(const struct hostile_fixture *fixture, struct buf *out)
{
    const struct tls_client_options options = {
        .server_name = fixture->config.server.host,
        .trust = fixture->config.tls.trust,
    };
    return client_hello_write(fixture->loop, fixture->tls, &options, out);
}

bool wire_write(struct transport *transport, struct str bytes, duration most)
{
    FIBER_TIMEOUT(most);
    OWNED(error) err = transport_write(transport, bytes);
    return !err;
}

int wire_status(struct str answer)
{
    struct str rest = answer, word;
    uint64_t status;
    str_cut(&rest, ' ', &word);
    str_cut(&rest, ' ', &word);
    return str_starts_with(answer, STR("HTTP/1.1 ")) && str_to_uint64(word, &status) ? (int)status
                                                                                     : 0;
}

struct error *wire_wait_closed(struct transport *transport, duration most, bool *ret_closed)
{
    SCOPED(buf) answer = {0};
    FIBER_TIMEOUT(most);
    OWNED(error) err = read_until_closed(transport, &answer);
    *ret_closed = !error_is(err, ERROR_DEADLINE);
    return error_is(err, ERROR_CANCELED) ? TAKE(err) : NULL;
}

void wire_frame(struct buf *out, int type, int flags, uint32_t stream, struct str payload)
{
    const char head[9] = {(char)(payload.len >> 16),
                          (char)(payload.len >> 8),
                          (char)payload.len,
                          (char)type,
                          (char)flags,
                          (char)(stream >> 24),
                          (char)(stream >> 16),
                          (char)(stream >> 8),
                          (char)stream};
    buf_add(out, str_from(head, sizeof(head)));
    buf_add(out, payload);
}

void wire_preface(struct buf *out, uint32_t window)
{
    const char setting[6] = {0,
                             4, /* SETTINGS_INITIAL_WINDOW_SIZE */
                             (char)(window >> 24),
                             (char)(window >> 16),
                             (char)(window >> 8),
                             (char)window};
    buf_add(out, STR(MAGIC));
    wire_frame(out, WIRE_SETTINGS, 0, 0,
               window == UINT32_MAX ? STR("") : str_from(setting, sizeof(setting)));
}

/* A length in HPACK's form with seven bits in the first byte. */
static void add_length(struct buf *out, size_t len)
{
    if (len < 127) {
        buf_add_char(out, (char)len);
        return;
    }
    buf_add_char(out, 127);
    for (len -= 127; len >= 128; len >>= 7)
        buf_add_char(out, (char)(len % 128 + 128));
    buf_add_char(out, (char)len);
}

void wire_field(struct buf *out, struct str name, struct str value)
{
    buf_add_char(out, 0);
    add_length(out, name.len);
    buf_add(out, name);
    add_length(out, value.len);
    buf_add(out, value);
}

void wire_request(struct buf *out, uint32_t stream, const char *method, const char *path,
                  struct str token, bool end)
{
    SCOPED(buf) block = {0}, bearer = {.secret = true};
    wire_field(&block, STR(":method"), str_from_c(method));
    wire_field(&block, STR(":scheme"), STR("https"));
    wire_field(&block, STR(":path"), str_from_c(path));
    wire_field(&block, STR(":authority"), STR("127.0.0.1"));
    buf_print(&bearer, "Bearer %.*s", STR_ARG(token));
    if (token.len)
        wire_field(&block, STR("authorization"), buf_str(&bearer));
    if (!end)
        wire_field(&block, STR("content-type"), STR("application/json"));
    wire_frame(out, WIRE_HEADERS, WIRE_END_HEADERS | (end ? WIRE_END_STREAM : 0), stream,
               buf_str(&block));
}
