#include "app/fleet_extension.h"

#include "apiserver/apiserver.h"
#include "apiserver/endpoints/extension.h"
#include "base/memory.h"

struct fleet_extension {
    struct apiserver *server;
    const struct auth *auth; /* of the main API, known from the first request on */
    struct fleet *fleet;
};

static struct error *decide_by_rbac(void *data, const struct rest_impersonation *user,
                                    const struct fleet_attributes *attributes, bool *ret_allowed)
{
    const struct fleet_extension *extension = data;
    const struct auth *auth = extension->auth;
    SCOPED(arena) arena = {0};
    const struct rbac_attributes asked = {
        .user = {user->user, {(struct str *)(uintptr_t)user->groups, user->group_count}},
        .verb = attributes->verb,
        .is_resource_request = true,
        .api_group = STR(FLEET_GROUP),
        .resource = STR("clusters"),
        .subresource = STR("proxy"),
        .namespace = attributes->namespace,
        .name = attributes->name,
    };
    *ret_allowed = auth->authorizer_ops->decide(auth->authorizer, &arena, &asked).allowed;
    return NULL;
}

/* The user as workload clusters see it. */
static struct rest_impersonation impersonation_of(struct arena *arena, const struct user_info *user)
{
    struct rest_extra *extra = arena_alloc_array(arena, user->extra_count, sizeof(*extra));
    for (size_t i = 0; i < user->extra_count; i++)
        extra[i] = (struct rest_extra){user->extra[i].key, user->extra[i].values.items,
                                       user->extra[i].values.count};
    return (struct rest_impersonation){
        .user = user->user.name,
        .groups = user->user.groups.items,
        .group_count = user->user.groups.count,
        .extra = extra,
        .extra_count = user->extra_count,
    };
}

static struct error *serve_fleet(void *data, const struct extension_request *request)
{
    struct fleet_extension *extension = data;
    extension->auth = request->auth;
    const struct fleet_request asked = {
        .http = request->http,
        .arena = request->arena,
        .target = request->target,
        .user = impersonation_of(request->arena, request->user),
        .may_impersonate = true, /* the server has obeyed them */
    };
    return fleet_serve(extension->fleet, &asked);
}

struct fleet_extension *fleet_extension_new(struct loop *loop, struct apiserver *server,
                                            const struct fleet_options *options)
{
    struct fleet_extension *extension = NEW(struct fleet_extension);
    struct fleet_options own = *options;
    own.authorizer = (struct fleet_authorizer){decide_by_rbac, extension};
    extension->server = server;
    extension->fleet = fleet_new(loop, &own);
    apiserver_extend(server, &(struct extension){fleet_path_is_ours, serve_fleet, extension});
    return extension;
}

void fleet_extension_free(struct fleet_extension *extension)
{
    if (!extension)
        return;
    apiserver_extend(extension->server, NULL);
    fleet_free(extension->fleet);
    mem_free(extension);
}
