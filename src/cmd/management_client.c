#include "cmd/management_client.h"

#include "async/loop.h"
#include "client/discovery/discovery.h"
#include "cmd/user_agent.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

/* No limit on requests: a command sends few, and a person waits. */
struct error *management_client_open(struct management_client *management,
                                     const struct global_flags *globals)
{
    TRY(global_flags_find_cluster(globals, &management->config));
    management->network = tcp_network_new(loop_current());
    management->tls = tls_context_new();
    management->proxies = proxy_environment_read();
    management->client =
        client_new(loop_current(), &(struct client_options){.config = &management->config,
                                                            .network = management->network,
                                                            .tls = management->tls,
                                                            .proxies = &management->proxies,
                                                            .user_agent = user_agent_name(),
                                                            .qps = -1});
    return NULL;
}

void management_client_done(struct management_client *management)
{
    client_free(management->client);
    rest_config_done(&management->config);
    tls_context_free(management->tls);
    network_free(management->network);
}

struct error *management_client_explain(struct error *err)
{
    /* A resource that is not served has no Status, so no details. */
    const bool no_kinds = error_is(err, ERROR_NOT_FOUND) && !err->details;
    if (!no_kinds)
        return err;
    error_free(err);
    return error_new(ERROR_NOT_FOUND,
                     "the management cluster does not know Clusters and ClusterResourceSets; "
                     "apply the CustomResourceDefinitions of deploy/crds, or use 'corset up'");
}
