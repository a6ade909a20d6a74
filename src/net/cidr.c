#include "net/cidr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define IPV4_AT 12 /* the bytes in front are ::ffff */

static void set_ipv4(uint8_t bytes[static 16], const void *address)
{
    memset(bytes, 0, 10);
    memset(bytes + 10, 0xff, 2);
    memcpy(bytes + IPV4_AT, address, 4);
}

/* The address in front of the slash. *ret_width is the number of bits that its family has. */
static bool read_address(const char *text, struct cidr *cidr, unsigned *ret_width)
{
    uint8_t bytes[16];
    if (inet_pton(AF_INET, text, bytes) == 1) {
        set_ipv4(cidr->bytes, bytes);
        *ret_width = 32;
        return true;
    }
    *ret_width = 128;
    return inet_pton(AF_INET6, text, cidr->bytes) == 1;
}

bool cidr_read(struct str text, struct cidr *ret_cidr)
{
    struct cidr cidr = {.bits = 0};
    char address[sizeof(cidr.text)];
    struct str prefix = text, head;
    uint64_t bits = 0;
    unsigned width;
    const bool has_prefix = str_cut(&prefix, '/', &head);
    if (head.len == 0 || text.len >= sizeof(cidr.text) || str_find_char(text, '\0') != STR_NONE)
        return false;
    memcpy(cidr.text, text.ptr, text.len);
    memcpy(address, head.ptr, head.len);
    address[head.len] = '\0';
    if (!read_address(address, &cidr, &width))
        return false;
    if (has_prefix && (!str_to_uint64(prefix, &bits) || bits > width))
        return false;
    cidr.bits = 128 - width + (has_prefix ? (unsigned)bits : width);
    *ret_cidr = cidr;
    return true;
}

bool cidr_read_list(struct str text, struct cidr *ranges, size_t max, size_t *ret_count)
{
    struct str range;
    *ret_count = 0;
    while (text.len) {
        str_cut(&text, ',', &range);
        if (*ret_count == max || !cidr_read(str_trim(range), &ranges[*ret_count]))
            return false;
        ++*ret_count;
    }
    return true;
}

bool cidr_has(const struct cidr *cidr, const struct sockaddr *address)
{
    uint8_t bytes[16];
    if (address->sa_family == AF_INET)
        set_ipv4(bytes, &((const struct sockaddr_in *)address)->sin_addr);
    else if (address->sa_family == AF_INET6)
        memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, sizeof(bytes));
    else
        return false;
    const unsigned whole = cidr->bits / 8, rest = cidr->bits % 8;
    if (memcmp(bytes, cidr->bytes, whole) != 0)
        return false;
    return rest == 0 || (bytes[whole] ^ cidr->bytes[whole]) >> (8 - rest) == 0;
}
