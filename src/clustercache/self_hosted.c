#include "clustercache/self_hosted.h"

#include "apimachinery/object.h"
#include "client/client.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"

struct error *self_hosted_check(struct cluster_connection *connection, bool *ret_is_self_hosted)
{
    const struct clustercache_options *options = &connection->config->options;
    const struct key key = {options->pod_namespace, options->pod_name};
    OWNED(object) pod = NULL;
    *ret_is_self_hosted = false;
    if (!connection->config->has_own_pod)
        return NULL;
    struct error *err = client_get(connection->client, GVR("", "v1", "pods"), key, NULL, &pod);
    if (error_is(err, ERROR_NOT_FOUND))
        return error_ignore(err, ERROR_NOT_FOUND);
    TRY(err);
    /* Another cluster may have a Pod of the same name: the UID decides. */
    *ret_is_self_hosted = str_eq(object_uid(pod), options->pod_uid);
    return NULL;
}
