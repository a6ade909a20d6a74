#include "net/lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

#include "async/worker.h"
#include "base/memory.h"

#define HOST_MAX 255

struct lookup_job {
    char host[HOST_MAX + 1];
    char service[8];
    int status;
    int errnum;
    struct lookup_result *result;
};

static void job_free(void *data)
{
    struct lookup_job *job = data;
    mem_free(job->result);
    mem_free(job);
}

static bool host_to_c(struct str host, char text[static HOST_MAX + 1])
{
    if (host.len == 0 || host.len > HOST_MAX || str_find_char(host, '\0') != STR_NONE)
        return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    return true;
}

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

static void keep_addresses(struct lookup_job *job, const struct addrinfo *found)
{
    job->result = NEW(struct lookup_result);
    for (; found && job->result->count < LOOKUP_ADDRESSES_MAX; found = found->ai_next) {
        if (found->ai_addrlen > sizeof(struct sockaddr_storage))
            continue;
        const size_t i = job->result->count++;
        memcpy(&job->result->addresses[i].address, found->ai_addr, found->ai_addrlen);
        job->result->addresses[i].len = found->ai_addrlen;
    }
}

/* On a worker thread. */
static void find_addresses(void *data)
{
    struct lookup_job *job = data;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *found = NULL;
    job->status = getaddrinfo(job->host, job->service, &hints, &found);
    job->errnum = errno;
    if (job->status == 0) {
        keep_addresses(job, found);
        freeaddrinfo(found);
    }
}

static struct error *lookup_outcome(struct lookup_job *job, struct lookup_result **ret_result)
{
    if (job->status == EAI_SYSTEM)
        return error_from_errno(job->errnum, "look up %s", job->host);
    if (job->status != 0)
        return error_new(ERROR_UNREACHABLE, "look up %s: %s", job->host, gai_strerror(job->status));
    if (job->result->count == 0)
        return error_new(ERROR_UNREACHABLE, "look up %s: no address", job->host);
    *ret_result = TAKE(job->result);
    return NULL;
}

struct error *lookup_host(struct str host, uint16_t port, struct lookup_result **ret_result)
{
    struct lookup_result literal;
    if (lookup_literal(host, port, &literal)) {
        *ret_result = mem_alloc(sizeof(literal));
        **ret_result = literal;
        return NULL;
    }
    struct lookup_job *job = NEW(struct lookup_job);
    snprintf(job->service, sizeof(job->service), "%u", port);
    if (!host_to_c(host, job->host)) {
        mem_free(job);
        return error_new(ERROR_INVALID, "\"%.*s\" is not a host name", STR_ARG(host));
    }
    TRY(worker_run(find_addresses, job, job_free), "look up %.*s", STR_ARG(host));
    struct error *err = lookup_outcome(job, ret_result);
    job_free(job);
    return err;
}
