/*
 * The path is authorized like every non-resource path, so only administrators get here. Every
 * method answers with the faults that hold afterwards.
 */
#include "apiserver/virtual/debug.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/virtual/virtual_clusters.h"

#define PATH STR("/debug/inject")

bool debug_is_path(const struct request *request)
{
    return str_eq(request->path, PATH) && request->api->cluster.len == 0;
}

static struct error *change_faults(struct virtual_clusters *clusters,
                                   struct virtual_cluster *cluster, struct request *request)
{
    SCOPED(buf) body = {.limit = 0};
    struct fault_injection faults;
    TRY(body_read(request, &body));
    OWNED(error) err = fault_injection_read(str_trim(buf_str(&body)), &faults);
    if (err)
        return status_bad_request("%s", err->message);
    virtual_clusters_set_faults(clusters, cluster, &faults);
    return NULL;
}

struct error *debug_serve(struct virtual_clusters *clusters, struct request *request)
{
    SCOPED(buf) text = {.limit = 0};
    const struct str name = query_get(&request->query, STR("cluster"));
    struct virtual_cluster *cluster = name.len ? virtual_clusters_find(clusters, name) : NULL;
    if (name.len && !cluster)
        return status_bad_request("there is no virtual cluster %.*s", STR_ARG(name));
    if (str_eq(request->method, STR("PUT")))
        TRY(change_faults(clusters, cluster, request));
    else if (str_eq(request->method, STR("DELETE")))
        virtual_clusters_remove_faults(clusters, cluster);
    else if (!str_eq(request->method, STR("GET")))
        return status_method_not_allowed();
    fault_injection_write(virtual_clusters_faults(clusters, cluster), &text);
    buf_add_char(&text, '\n');
    return response_send_body(request, 200, STR("text/plain; charset=utf-8"), buf_str(&text));
}
