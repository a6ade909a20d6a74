#include "cmd/get_source.h"

#include <stdio.h>

#include "apimachinery/object.h"
#include "apimachinery/status.h"
#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "clustercache/clustercache_static.h"
#include "clustercache/kubeconfig_secret.h"
#include "cmd/command.h"
#include "cmd/management_client.h"
#include "cmd/user_agent.h"
#include "fleet/fleet.h"
#include "http/headers.h"

#define FAILURE_MAX (256 * KILOBYTE)

/* A server without the API answers 404, one that does not show it to this user 403. */
static struct error *find_endpoint(struct get_source *source)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = MEGABYTE};
    const struct client_raw_request request = {.path = STR(FLEET_PREFIX)};
    struct error *err = client_raw(source->management->client, &request, &arena, &body, NULL);
    source->is_remote = !err;
    err = error_ignore(err, ERROR_NOT_FOUND);
    return error_ignore(err, ERROR_FORBIDDEN);
}

static struct error *read_cluster_config(const struct get_source *source, struct key cluster,
                                         struct rest_config *ret_config)
{
    SCOPED(arena) arena = {0};
    OWNED(object) secret = NULL;
    const struct str name = ARENA_JOIN(&arena, cluster.name, STR("-kubeconfig"));
    TRY(client_get(source->management->client, GVR_SECRETS, (struct key){cluster.namespace, name},
                   NULL, &secret));
    return kubeconfig_secret_parse(secret, ret_config);
}

static struct error *add_cluster(void *data, struct object *object)
{
    struct get_source *source = data;
    const struct key cluster = object_key(object);
    struct rest_config config = {0};
    OWNED(error) err = read_cluster_config(source, cluster, &config);
    if (error_is(err, ERROR_CANCELED))
        return TAKE(err);
    if (err)
        clustercache_static_add_lost(source->clusters, cluster, err);
    else
        clustercache_static_add(source->clusters, cluster, &config);
    return NULL;
}

static struct error *open_local(struct get_source *source, struct str cluster_selector)
{
    const struct client_list_options list = {.label_selector = cluster_selector};
    const struct client_list_sink sink = {.each = add_cluster, .data = source};
    SCOPED(buf) version = {0};
    fprintf(stderr,
            "corset: the management cluster has no fleet API; asking the clusters directly\n");
    source->clusters = clustercache_static_new(
        loop_current(), &(struct clustercache_options){.network = source->management->network,
                                                       .tls = source->management->tls,
                                                       .proxies = &source->management->proxies,
                                                       .user_agent = user_agent_name()});
    source->fleet =
        fleet_new(loop_current(), &(struct fleet_options){.clusters = source->clusters});
    return management_client_explain(client_list_each(source->management->client, GVR_CLUSTERS,
                                                      STR(""), &list, &sink, &version));
}

struct error *get_source_open(struct get_source *source, struct management_client *management,
                              struct str cluster_selector)
{
    *source = (struct get_source){.management = management};
    TRY(find_endpoint(source));
    return source->is_remote ? NULL : open_local(source, cluster_selector);
}

void get_source_done(struct get_source *source)
{
    fleet_free(source->fleet);
    clustercache_static_free(source->clusters);
}

/* The receiver of an answer; that of a failure is kept for its Status. */
struct receipt {
    get_source_fn *take;
    void *data;
    int status;
    struct buf failure;
};

static void receipt_done(struct receipt *receipt)
{
    buf_done(&receipt->failure);
}

static struct error *receive_piece(void *data, struct str piece)
{
    struct receipt *receipt = data;
    if (receipt->status == 200)
        return receipt->take(receipt->data, piece);
    buf_add(&receipt->failure, piece);
    return NULL;
}

static struct error *receive_head(void *data, int status, const struct http_headers *headers)
{
    struct receipt *receipt = data;
    (void)headers;
    receipt->status = status;
    return NULL;
}

static struct error *ignore_trailer(void *data, struct str name, struct str value)
{
    (void)data, (void)name, (void)value;
    return NULL;
}

static const struct fleet_reply_ops local_ops = {receive_head, receive_piece, ignore_trailer};

static struct error *ask_remote(const struct get_source *source, struct arena *arena,
                                struct str target, struct str accept, struct receipt *receipt)
{
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    struct str path, query = target;
    str_cut(&query, '?', &path);
    TRY(http_headers_add(&headers, STR("Accept"), accept));
    const struct client_stream_request request = {
        .path = ARENA_JOIN(arena, STR(FLEET_PREFIX "/fleet"), path),
        .query = query,
        .headers = &headers,
    };
    TRY(client_stream(source->management->client, &request, &response));
    receipt->status = http_response_status(response);
    for (;;) {
        struct str piece;
        TRY(http_response_read_piece(response, &piece));
        if (!piece.len)
            return NULL;
        TRY(receive_piece(receipt, piece));
    }
}

struct error *get_source_ask(struct get_source *source, struct str target, struct str accept,
                             get_source_fn *take, void *data)
{
    SCOPED(arena) arena = {0};
    SCOPED(receipt) receipt = {.take = take, .data = data, .failure.limit = FAILURE_MAX};
    struct fleet_reply reply = {.ops = &local_ops, .data = &receipt};
    TRY(source->is_remote ? ask_remote(source, &arena, target, accept, &receipt)
                          : fleet_ask(source->fleet, &arena, target, accept, &reply));
    return receipt.status == 200 ? NULL
                                 : status_read_error(receipt.status, buf_str(&receipt.failure));
}

static struct error *add_piece(void *data, struct str piece)
{
    buf_add(data, piece);
    return buf_check(data);
}

struct error *get_source_ask_all(struct get_source *source, struct str target, struct str accept,
                                 struct buf *body)
{
    return get_source_ask(source, target, accept, add_piece, body);
}
