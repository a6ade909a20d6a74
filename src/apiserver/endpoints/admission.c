/*
 * The chain of admission checks. The names follow the admission plugins of kube-apiserver where
 * there is one; the order is that of the table.
 */
#include "apiserver/endpoints/admission.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/quota_claim.h"
#include "apiserver/registry/kind.h"
#include "json/path.h"

struct admission {
    const char *name;
    struct error *(*request)(const struct request *request, enum verb verb, struct str name);
    struct error *(*object)(const struct request *request, const struct json_value *old,
                            const struct json_value *object);
};

/* NamespaceLifecycle: nothing is created in a namespace that does not exist or is being deleted. */
static struct error *check_namespace(const struct request *request, enum verb verb, struct str name)
{
    SCOPED(store_object) found = {0};
    OWNED(object) namespace = NULL;
    if (verb != VERB_CREATE || !request->kind->namespaced)
        return NULL;
    struct error *err =
        store_get(request->api->store,
                  (struct store_id){STR("namespaces"), {.name = request->namespace}}, &found);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return status_not_found(GVR("", "v1", "namespaces"), request->namespace);
    }
    TRY(err);
    TRY(object_text_read(found.text, &namespace));
    if (!object_is_deleting(namespace))
        return NULL;
    return status_namespace_terminating(kind_gvr(request->kind), name, request->namespace);
}

/* NamespaceLifecycle: some built-in namespaces cannot be deleted. */
static struct error *protect_namespaces(const struct request *request, enum verb verb,
                                        struct str name)
{
    static const struct str kept[] = {STR_INIT("default"), STR_INIT("kube-system"),
                                      STR_INIT("kube-public")};
    if (verb != VERB_DELETE || request->kind->gvk.group.len ||
        !str_eq(request->kind->plural, STR("namespaces")))
        return NULL;
    for (size_t i = 0; i < COUNT(kept); i++)
        if (str_eq(name, kept[i]))
            return status_forbidden(kind_gvr(request->kind), name,
                                    STR("this namespace may not be deleted"));
    return NULL;
}

/*
 * A CustomResourceDefinition that is being deleted takes no new objects. It may also have been
 * deleted while the body was read.
 */
static struct error *check_definition(const struct request *request, enum verb verb,
                                      struct str name)
{
    if (verb != VERB_CREATE || !request->kind->is_custom)
        return NULL;
    const struct api_definition *definition =
        map_find(&request->api->definitions, request->kind->stored_as);
    if (!definition || !definition->custom)
        return status_no_such_resource();
    if (!definition->is_terminating)
        return NULL;
    return status_forbidden(
        kind_gvr(request->kind), name,
        STR("create not allowed while custom resource definition is terminating"));
}

/* Users cannot grant permissions that they do not have. */
static struct error *check_grant(const struct request *request, const struct json_value *old,
                                 const struct json_value *object)
{
    if (!str_eq(request->kind->gvk.group, STR("rbac.authorization.k8s.io")))
        return NULL;
    return escalation_check(&request->api->auth, request->arena, &request->user.user,
                            kind_gvr(request->kind), old, object);
}

/*
 * Checks that webhooks do on other servers, for kinds that bring their own; see crd_webhooks.h.
 */
static struct error *ask_extension(const struct request *request, const struct json_value *old,
                                   const struct json_value *object)
{
    return request->kind->is_custom ? crd_admit(request->kind, request->subresource, old, object)
                                    : NULL;
}

/* ResourceQuota: no namespace holds more objects than its quotas allow. */
static struct error *check_quota(const struct request *request, const struct json_value *old,
                                 const struct json_value *object)
{
    return request->quota ? quota_claim_check(request->quota, old, object) : NULL;
}

static const struct admission chain[] = {
    {"NamespaceLifecycle",  check_namespace,    NULL         },
    {"NamespaceProtection", protect_namespaces, NULL         },
    {"CustomResources",     check_definition,   NULL         },
    {"RoleEscalation",      NULL,               check_grant  },
    {"Extensions",          NULL,               ask_extension},
    {"ResourceQuota",       NULL,               check_quota  },
};

struct error *admission_check_request(const struct request *request, enum verb verb,
                                      struct str name)
{
    for (size_t i = 0; i < COUNT(chain); i++)
        if (chain[i].request)
            TRY(chain[i].request(request, verb, name));
    return NULL;
}

struct error *admission_check_object(const struct request *request, const struct json_value *old,
                                     const struct json_value *object)
{
    for (size_t i = 0; i < COUNT(chain); i++)
        if (chain[i].object)
            TRY(chain[i].object(request, old, object));
    return NULL;
}
