/*
 * Addresses and ranges of addresses.
 *
 * Kubernetes once read them as Go did: zeros in front of a number, addresses of IPv4 in the form of
 * IPv6, and bits behind the prefix of a range were fine. ip_read() still does; syntax_ip() and
 * syntax_cidr() refuse them with messages of their own, as upstream's IsValidIPForLegacyField() and
 * IsValidCIDRForLegacyField() do with the feature StrictIPCIDRValidation, which is on in 1.36.
 */
#include <arpa/inet.h>
#include <string.h>

#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"

static void add_message(struct validation *found, struct str message)
{
    found->messages[found->count++] = message;
}

/*
 * Copies a text without the zeros in front of its decimal numbers, which inet_pton() refuses. False
 * when it is too long for an address.
 */
static bool copy_without_zeros(struct str text, char room[static INET6_ADDRSTRLEN + 1],
                               bool *ret_has_zeros)
{
    const size_t colon = str_find_last_char(text, ':');
    const size_t decimal = colon == STR_NONE ? 0 : colon + 1;
    const bool has_decimal = str_find_char(text, '.') != STR_NONE;
    bool is_start = has_decimal;
    size_t len = 0;
    *ret_has_zeros = false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (i >= decimal && is_start && c == '0' && i + 1 < text.len &&
            ascii_is_digit(text.ptr[i + 1])) {
            *ret_has_zeros = true;
            continue;
        }
        if (len == INET6_ADDRSTRLEN)
            return false;
        room[len++] = c;
        is_start = has_decimal && (i < decimal || c == '.');
    }
    room[len] = '\0';
    return len > 0 && strlen(room) == len;
}

bool ip_read(struct str text, struct ip *ret_ip)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    char room[INET6_ADDRSTRLEN + 1];
    if (!copy_without_zeros(text, room, &ret_ip->has_zeros))
        return false;
    memcpy(ret_ip->bytes, mapped, sizeof(mapped));
    ret_ip->is_mapped = false;
    ret_ip->is_v4 = inet_pton(AF_INET, room, ret_ip->bytes + sizeof(mapped)) == 1;
    if (ret_ip->is_v4)
        return true;
    if (inet_pton(AF_INET6, room, ret_ip->bytes) != 1)
        return false;
    ret_ip->is_mapped = memcmp(ret_ip->bytes, mapped, sizeof(mapped)) == 0;
    ret_ip->is_v4 = ret_ip->is_mapped;
    return true;
}

static bool ip_is_loopback(const struct ip *ip)
{
    static const unsigned char loopback[16] = {[15] = 1};
    return ip->is_v4 ? ip->bytes[12] == 127 : memcmp(ip->bytes, loopback, 16) == 0;
}

static bool ip_is_unspecified(const struct ip *ip)
{
    static const unsigned char none[16];
    return memcmp(ip->bytes + (ip->is_v4 ? 12 : 0), none, ip->is_v4 ? 4 : 16) == 0;
}

static bool ip_is_link_local(const struct ip *ip)
{
    return ip->is_v4 ? ip->bytes[12] == 169 && ip->bytes[13] == 254
                     : ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

static bool ip_is_link_local_multicast(const struct ip *ip)
{
    return ip->is_v4 ? ip->bytes[12] == 224 && ip->bytes[13] == 0 && ip->bytes[14] == 0
                     : ip->bytes[0] == 0xff && (ip->bytes[1] & 0x0f) == 2;
}

void validate_endpoint_ip(struct kind_validator *v, struct str path, struct str address,
                          const struct ip *ip)
{
    struct str words = {0};
    if (ip_is_unspecified(ip))
        words = arena_print(v->arena, "may not be unspecified (%.*s)", STR_ARG(address));
    else if (ip_is_loopback(ip))
        words = STR("may not be in the loopback range (127.0.0.0/8, ::1/128)");
    else if (ip_is_link_local(ip))
        words = STR("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    else if (ip_is_link_local_multicast(ip))
        words = STR("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    if (words.len)
        field_errors_add_str(v->errors, FIELD_INVALID, path, address, words);
}

struct validation syntax_ip(struct str value)
{
    struct validation found = {.count = 0};
    struct ip ip;
    if (!ip_read(value, &ip))
        add_message(&found, STR("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
    else if (ip.has_zeros)
        add_message(&found, STR("must not have leading 0s"));
    else if (ip.is_mapped)
        add_message(&found, STR("must not be an IPv4-mapped IPv6 address"));
    return found;
}

/* The length of a prefix: digits, at most the bits of the address. */
static bool read_prefix(struct str text, int64_t most, int64_t *ret_bits)
{
    for (size_t i = 0; i < text.len; i++)
        if (!ascii_is_digit(text.ptr[i]))
            return false;
    return text.len > 0 && str_to_int64(text, ret_bits) && *ret_bits <= most;
}

static bool has_bits_behind(const struct ip *ip, int64_t prefix)
{
    for (int64_t bit = (ip->is_v4 ? 96 : 0) + prefix; bit < 128; bit++)
        if (ip->bytes[bit / 8] & (0x80 >> (bit % 8)))
            return true;
    return false;
}

struct validation syntax_cidr(struct str value)
{
    struct validation found = {.count = 0};
    struct str rest = value, address;
    struct ip ip;
    int64_t bits = 0;
    if (!str_cut(&rest, '/', &address) || !ip_read(address, &ip) ||
        !read_prefix(rest, ip.is_v4 && !ip.is_mapped ? 32 : 128, &bits))
        add_message(&found, STR("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
    else if (ip.has_zeros || (rest.len > 1 && rest.ptr[0] == '0'))
        add_message(&found, STR("must not have leading 0s in IP or prefix length"));
    else if (ip.is_mapped)
        add_message(&found, STR("must not have an IPv4-mapped IPv6 address"));
    else if (has_bits_behind(&ip, bits))
        add_message(&found, STR("must not have bits set beyond the prefix length"));
    return found;
}
