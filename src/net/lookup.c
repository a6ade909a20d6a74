/*
 * Host names to addresses, by getaddrinfo() on a worker thread.
 *
 * A name lookup can hang for longer than any caller wants to wait. lookups.c therefore decides
 * which names are looked up when, and owns what a caller who was interrupted has left behind.
 */
#include "net/lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>

#include "base/memory.h"
#include "net/lookups.h"

#define HOST_MAX 255

/* The host as a C string. False for an empty or too long host, or one with a NUL byte in it. */
static bool host_to_c(struct str host, char text[static HOST_MAX + 1])
{
    if (host.len == 0 || host.len > HOST_MAX || str_find_char(host, '\0') != STR_NONE)
        return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    return true;
}

/* Both families are tried; the two pointers share the memory of one sockaddr_storage. */
bool lookup_literal(struct str host, uint16_t port, struct lookup_result *ret_result)
{
    char text[HOST_MAX + 1];
    if (!host_to_c(host, text))
        return false;
    struct lookup_result result = {.count = 1};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&result.addresses[0].address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&result.addresses[0].address;
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        result.addresses[0].len = sizeof(*v4);
    } else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        result.addresses[0].len = sizeof(*v6);
    } else {
        return false;
    }
    *ret_result = result;
    return true;
}

/*
 * At most LOOKUP_ADDRESSES_MAX addresses are kept, in the order of getaddrinfo(), which is the
 * order of preference (RFC 6724).
 */
static struct lookup_result *keep_addresses(const struct addrinfo *found)
{
    struct lookup_result *result = NEW(struct lookup_result);
    for (; found && result->count < LOOKUP_ADDRESSES_MAX; found = found->ai_next) {
        if (found->ai_addrlen > sizeof(struct sockaddr_storage))
            continue;
        const size_t i = result->count++;
        memcpy(&result->addresses[i].address, found->ai_addr, found->ai_addrlen);
        result->addresses[i].len = found->ai_addrlen;
    }
    return result;
}

/* errno is kept, because EAI_SYSTEM refers to it. */
void lookup_by_system(const char *host, struct lookup_answer *ret_answer)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *found = NULL;
    const int status = getaddrinfo(host, NULL, &hints, &found);
    *ret_answer = (struct lookup_answer){.status = status, .errnum = errno};
    if (status == 0) {
        ret_answer->result = keep_addresses(found);
        freeaddrinfo(found);
    }
}

static void set_port(struct lookup_result *result, uint16_t port)
{
    for (size_t i = 0; i < result->count; i++) {
        struct sockaddr_storage *address = &result->addresses[i].address;
        if (address->ss_family == AF_INET)
            ((struct sockaddr_in *)address)->sin_port = htons(port);
        else if (address->ss_family == AF_INET6)
            ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
    }
}

/*
 * Why there is no address. EAI_SYSTEM is an error of this machine, such as too many open files;
 * everything else means that the host cannot be reached.
 */
static struct error *check_answer(const struct lookup_answer *answer, const char *host)
{
    if (answer->status == EAI_SYSTEM)
        return error_from_errno(answer->errnum, "look up %s", host);
    if (answer->status != 0)
        return error_new(ERROR_UNREACHABLE, "look up %s: %s", host, gai_strerror(answer->status));
    if (answer->result->count == 0)
        return error_new(ERROR_UNREACHABLE, "look up %s: no address", host);
    return NULL;
}

struct error *lookup_host(struct lookups *lookups, struct str host, uint16_t port,
                          struct lookup_result **ret_result)
{
    struct lookup_result literal;
    struct lookup_answer answer = {0};
    char text[HOST_MAX + 1];
    if (lookup_literal(host, port, &literal)) {
        *ret_result = mem_alloc(sizeof(literal));
        **ret_result = literal;
        return NULL;
    }
    if (!host_to_c(host, text))
        return error_new(ERROR_INVALID, "\"%.*s\" is not a host name", STR_ARG(host));
    TRY(lookups_find(lookups, text, &answer), "look up %s", text);
    OWNED_PTR struct lookup_result *result = answer.result;
    TRY(check_answer(&answer, text));
    set_port(result, port);
    *ret_result = TAKE(result);
    return NULL;
}
