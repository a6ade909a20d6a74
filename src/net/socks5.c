/*
 * The client side of SOCKS 5. The exchange, each line a message (RFC 1928, sections 3 to 6):
 *
 *     we:    version, methods we can use
 *     proxy: version, method it chooses
 *     we:    user name and password, if chosen (RFC 1929)
 *     proxy: accepted or not
 *     we:    version, CONNECT, address and port of the host
 *     proxy: version, reply, address it connected from
 *
 * Host names go to the proxy unresolved.
 */
#include "net/socks5.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/buf.h"
#include "net/lookup.h"
#include "net/transport.h"

enum { VERSION = 5, AUTH_VERSION = 1, COMMAND_CONNECT = 1 };
enum { METHOD_NONE = 0, METHOD_PASSWORD = 2, METHOD_REFUSED = 0xff };
enum { ADDRESS_IPV4 = 1, ADDRESS_NAME = 3, ADDRESS_IPV6 = 4 };

#define FIELD_MAX 255

/* The replies of RFC 1928, section 6, by number. */
static const char *const replies[] = {
    "succeeded",
    "general failure",
    "connection not allowed by its rules",
    "network unreachable",
    "host unreachable",
    "connection refused",
    "time to live expired",
    "command not supported",
    "address type not supported",
};

static void add_byte(struct buf *buf, unsigned byte)
{
    buf_add_char(buf, (char)byte);
}

/* A length byte and the bytes. The caller has checked the length. */
static void add_field(struct buf *buf, struct str field)
{
    add_byte(buf, (unsigned)field.len);
    buf_add(buf, field);
}

/* RFC 1929. Any status but 0 is a refusal. */
static struct error *log_in(struct transport *transport, struct str user, struct str password)
{
    if (user.len > FIELD_MAX || password.len > FIELD_MAX)
        return error_new(ERROR_INVALID, "user name or password is longer than %d bytes", FIELD_MAX);
    SCOPED(buf) message = {.secret = true};
    add_byte(&message, AUTH_VERSION);
    add_field(&message, user);
    add_field(&message, password);
    TRY(transport_write(transport, buf_str(&message)));
    unsigned char answer[2];
    TRY(transport_read_exactly(transport, (char *)answer, sizeof(answer)));
    if (answer[1] != 0)
        return error_new(ERROR_UNREACHABLE, "the proxy refuses user name and password");
    return NULL;
}

/* Offers the method without credentials and, when there is a user, user name and password. */
static struct error *agree_on_method(struct transport *transport, struct str user,
                                     struct str password)
{
    const struct str offer = user.len ? STR("\x05\x02\x00\x02") : STR("\x05\x01\x00");
    TRY(transport_write(transport, offer));
    unsigned char answer[2];
    TRY(transport_read_exactly(transport, (char *)answer, sizeof(answer)));
    if (answer[0] != VERSION)
        return error_new(ERROR_PROTOCOL, "the proxy does not speak SOCKS 5");
    if (answer[1] == METHOD_NONE)
        return NULL;
    if (answer[1] == METHOD_PASSWORD && user.len)
        return log_in(transport, user, password);
    return error_new(ERROR_UNREACHABLE, "the proxy wants credentials that we do not have");
}

/*
 * An address literal is sent as an address and everything else as a name; RFC 1928 has a type for
 * each.
 */
static void add_address(struct buf *message, struct str host)
{
    struct lookup_result literal;
    if (!lookup_literal(host, 0, &literal)) {
        add_byte(message, ADDRESS_NAME);
        add_field(message, host);
    } else if (literal.addresses[0].address.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&literal.addresses[0].address;
        add_byte(message, ADDRESS_IPV4);
        buf_add(message, str_from((const char *)&v4->sin_addr, sizeof(v4->sin_addr)));
    } else {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&literal.addresses[0].address;
        add_byte(message, ADDRESS_IPV6);
        buf_add(message, str_from((const char *)&v6->sin6_addr, sizeof(v6->sin6_addr)));
    }
}

/*
 * The address that the proxy connected from is not needed, but must be read: the bytes of the host
 * follow it.
 */
static struct error *skip_bound_address(struct transport *transport, unsigned type)
{
    char rest[FIELD_MAX + 2];
    unsigned char len = type == ADDRESS_IPV4 ? 4 : 16;
    if (type == ADDRESS_NAME)
        TRY(transport_read_exactly(transport, (char *)&len, 1));
    else if (type != ADDRESS_IPV4 && type != ADDRESS_IPV6)
        return error_new(ERROR_PROTOCOL, "the proxy answers with an unknown kind of address");
    return transport_read_exactly(transport, rest, (size_t)len + 2);
}

struct error *socks5_connect(struct transport *transport, struct str user, struct str password,
                             struct str host, uint16_t port)
{
    if (host.len == 0 || host.len > FIELD_MAX)
        return error_new(ERROR_INVALID, "\"%.*s\" is not a host name", STR_ARG(host));
    TRY(agree_on_method(transport, user, password));
    SCOPED(buf) message = {0};
    buf_add(&message, STR("\x05\x01\x00"));
    add_address(&message, host);
    add_byte(&message, port >> 8);
    add_byte(&message, port & 0xff);
    TRY(transport_write(transport, buf_str(&message)));
    unsigned char answer[4];
    TRY(transport_read_exactly(transport, (char *)answer, sizeof(answer)));
    if (answer[0] != VERSION)
        return error_new(ERROR_PROTOCOL, "the proxy does not speak SOCKS 5");
    if (answer[1] != 0)
        return error_new(ERROR_CONNECTION, "the proxy answers: %s",
                         answer[1] < COUNT(replies) ? replies[answer[1]] : "unknown failure");
    return skip_bound_address(transport, answer[3]);
}
