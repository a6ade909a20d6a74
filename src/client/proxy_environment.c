/*
 * The decision is made from texts alone, once for each transport of a client, so that NO_PROXY is
 * read entry by entry at every decision. The order of checks is that of Go's config.init() and
 * config.useProxy().
 *
 * All addresses are compared in the form of IPv6. An IPv4 address is ::ffff:a.b.c.d there, so that
 * both ways to write it are equal, as they are in Go.
 */
#include "client/proxy_environment.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/lookup.h"

#define PORT_TEXT_MAX 8
#define MAPPED_BITS   96 /* the prefix ::ffff:0:0/96 in front of an IPv4 address */
#define ADDRESS_BITS  128

struct address {
    struct in6_addr bytes;
    bool is_mapped; /* the text is an IPv4 address */
};

/* What a server is compared with. */
struct target {
    struct str host, port;
    bool is_address;
    struct address address;
};

static struct str variable(const char *upper, const char *lower)
{
    const struct str text = str_from_c(getenv(upper));  /* NOLINT(concurrency-mt-unsafe) */
    return text.len ? text : str_from_c(getenv(lower)); /* NOLINT(concurrency-mt-unsafe) */
}

struct proxy_environment proxy_environment_read(void)
{
    return (struct proxy_environment){
        .http_proxy = variable("HTTP_PROXY", "http_proxy"),
        .https_proxy = variable("HTTPS_PROXY", "https_proxy"),
        .no_proxy = variable("NO_PROXY", "no_proxy"),
    };
}

/* False for anything but an address literal. */
static bool read_address(struct str text, struct address *ret_address)
{
    struct lookup_result literal;
    if (!lookup_literal(text, 0, &literal))
        return false;
    *ret_address = (struct address){0};
    if (literal.addresses[0].address.ss_family == AF_INET6) {
        ret_address->bytes =
            ((const struct sockaddr_in6 *)&literal.addresses[0].address)->sin6_addr;
        return true;
    }
    const struct in_addr v4 = ((const struct sockaddr_in *)&literal.addresses[0].address)->sin_addr;
    ret_address->bytes.s6_addr[10] = ret_address->bytes.s6_addr[11] = 0xff;
    memcpy(&ret_address->bytes.s6_addr[12], &v4, sizeof(v4));
    ret_address->is_mapped = true;
    return true;
}

static bool is_loopback(const struct address *address)
{
    return IN6_IS_ADDR_LOOPBACK(&address->bytes) ||
           (IN6_IS_ADDR_V4MAPPED(&address->bytes) && address->bytes.s6_addr[12] == 127);
}

/* True if the first bits are equal. */
static bool is_within(const struct in6_addr *address, const struct in6_addr *network, uint64_t bits)
{
    for (size_t i = 0; i < sizeof(address->s6_addr) && bits > 0; i++) {
        const unsigned taken = bits < 8 ? (unsigned)bits : 8;
        const unsigned mask = 0xffU & ~(0xffU >> taken);
        if ((address->s6_addr[i] ^ network->s6_addr[i]) & mask)
            return false;
        bits -= taken;
    }
    return true;
}

/* "10.0.0.0/8", "2001:db8::/32". *ret_is_network: the entry is one, whether it matches or not. */
static bool matches_network(struct str entry, const struct target *target, bool *ret_is_network)
{
    struct address network;
    struct str text;
    uint64_t bits;
    *ret_is_network = str_cut(&entry, '/', &text) && read_address(text, &network) &&
                      str_to_uint64(entry, &bits) &&
                      bits <= (network.is_mapped ? ADDRESS_BITS - MAPPED_BITS : ADDRESS_BITS);
    if (!*ret_is_network || !target->is_address)
        return false;
    bits += network.is_mapped ? MAPPED_BITS : 0;
    /* A network of IPv6 that is larger than all of IPv4 holds no IPv4 address. */
    const bool is_of_v4 = bits >= MAPPED_BITS && IN6_IS_ADDR_V4MAPPED(&network.bytes);
    return is_of_v4 == IN6_IS_ADDR_V4MAPPED(&target->address.bytes) &&
           is_within(&target->address.bytes, &network.bytes, bits);
}

/* Go's net.SplitHostPort(): "host:port" and "[address]:port"; anything else has no port. */
static void split_port(struct str entry, struct str *ret_host, struct str *ret_port)
{
    const size_t colon = str_find_last_char(entry, ':');
    *ret_host = entry;
    *ret_port = STR("");
    if (colon == STR_NONE)
        return;
    const struct str host = str_slice(entry, 0, colon);
    const bool is_bracketed = str_starts_with(host, STR("[")) && str_ends_with(host, STR("]"));
    if (!is_bracketed && str_find_char(host, ':') != STR_NONE)
        return;
    *ret_host = is_bracketed ? str_slice(host, 1, host.len - 1) : host;
    *ret_port = str_skip(entry, colon + 1);
}

/* "example.com" matches the name and names below it, ".example.com" the names below it alone. */
static bool matches_name(struct str domain, struct str host)
{
    if (str_starts_with(domain, STR("*.")))
        domain = str_skip(domain, 1);
    const bool is_below_alone = str_starts_with(domain, STR("."));
    if (is_below_alone)
        domain = str_skip(domain, 1);
    if (host.len == domain.len)
        return !is_below_alone && str_eq_nocase(host, domain);
    return host.len > domain.len && host.ptr[host.len - domain.len - 1] == '.' &&
           str_eq_nocase(str_skip(host, host.len - domain.len), domain);
}

/* One entry of NO_PROXY, without blanks around it. */
static bool matches_entry(struct str entry, const struct target *target)
{
    struct address address;
    struct str host, port;
    bool is_network;
    if (str_eq(entry, STR("*")))
        return true;
    const bool is_within_network = matches_network(entry, target, &is_network);
    if (is_network)
        return is_within_network;
    split_port(entry, &host, &port);
    if (!host.len || (port.len && !str_eq(port, target->port)))
        return false;
    if (read_address(host, &address))
        return target->is_address &&
               memcmp(&address.bytes, &target->address.bytes, sizeof(address.bytes)) == 0;
    return !target->is_address && matches_name(host, target->host);
}

static bool is_direct(struct str no_proxy, const struct target *target)
{
    struct str entry;
    if (str_eq_nocase(target->host, STR("localhost")) ||
        (target->is_address && is_loopback(&target->address)))
        return true;
    while (no_proxy.len) {
        str_cut(&no_proxy, ',', &entry);
        if (matches_entry(str_trim(entry), target))
            return true;
    }
    return false;
}

struct error *proxy_environment_choose(const struct proxy_environment *environment,
                                       const struct url *server, struct proxy_choice *ret_choice)
{
    const bool is_https = server->scheme == URL_HTTPS;
    const struct str proxy = is_https ? environment->https_proxy : environment->http_proxy;
    char port[PORT_TEXT_MAX];
    *ret_choice = (struct proxy_choice){.variable = is_https ? "HTTPS_PROXY" : "HTTP_PROXY"};
    if (!proxy.len)
        return NULL;
    const int len = snprintf(port, sizeof(port), "%u", server->port);
    struct target target = {.host = server->host, .port = str_from(port, (size_t)len)};
    target.is_address = read_address(server->host, &target.address);
    if (is_direct(environment->no_proxy, &target))
        return NULL;
    struct error *err = url_read_proxy(proxy, &ret_choice->url);
    if (err) {
        struct error *named =
            error_new(ERROR_INVALID, "%s: %s; set it to http://HOST:PORT, or unset it",
                      ret_choice->variable, err->message);
        error_free(err);
        return named;
    }
    ret_choice->has_proxy = true;
    return NULL;
}
