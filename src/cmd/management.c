#include "cmd/management.h"

#include "async/loop.h"
#include "client/discovery/discovery.h"
#include "cmd/agent.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

struct error *management_open(struct management *management, const struct globals *globals)
{
    TRY(globals_find_cluster(globals, &management->config));
    management->network = tcp_network_new(loop_current());
    management->tls = tls_context_new();
    management->client =
        client_new(loop_current(), &(struct client_options){.config = &management->config,
                                                            .network = management->network,
                                                            .tls = management->tls,
                                                            .user_agent = agent_name(),
                                                            .qps = -1});
    return NULL;
}

void management_done(struct management *management)
{
    client_free(management->client);
    rest_config_done(&management->config);
    tls_context_free(management->tls);
    network_free(management->network);
}

struct error *management_explain(struct error *err)
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
