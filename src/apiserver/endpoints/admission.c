/*
 * The chain of admission checks. The names follow the admission plugins of kube-apiserver where
 * there is one; the order is that of the table.
 */
#include "apiserver/endpoints/admission.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/quota_claim.h"
#include "apiserver/registry/kind.h"
#include "base/base64.h"
#include "base/x509_check.h"
#include "json/compare.h"
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
 * Whether the user may do something in the name of a signer: for this one, or for all of its
 * domain.
 */
static bool may_use_signer(const struct request *request, const char *verb, struct str signer)
{
    struct str rest = signer, domain;
    (void)str_cut(&rest, '/', &domain);
    const struct str names[] = {signer, arena_print(request->arena, "%.*s/*", STR_ARG(domain))};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct rbac_attributes attributes = {
            .user = request->user.user,
            .verb = str_from_c(verb),
            .is_resource_request = true,
            .api_group = STR("certificates.k8s.io"),
            .resource = STR("signers"),
            .name = names[i],
        };
        OWNED(error) refused = authorize(&request->api->auth, request->arena, &attributes);
        if (!refused)
            return true;
    }
    return false;
}

/*
 * CertificateApproval and CertificateSigning: to approve a request, or to answer it, needs a
 * permission for its signer. The signer is that of the stored object.
 */
static struct error *check_signer(const struct request *request, const struct json_value *old,
                                  const struct json_value *object)
{
    const bool is_approval = str_eq(request->subresource, STR("approval"));
    const struct str signer = json_path_str(old, "spec.signerName");
    if (!request->kind->records_user || !old || request->subresource.len == 0)
        return NULL;
    if (!is_approval && json_equal(json_get(old, STR("status")), json_get(object, STR("status"))))
        return NULL;
    if (may_use_signer(request, is_approval ? "approve" : "sign", signer))
        return NULL;
    return status_forbidden(
        kind_gvr(request->kind), json_path_str(object, "metadata.name"),
        arena_print(request->arena, "user not permitted to %s requests with signerName \"%.*s\"",
                    is_approval ? "approve" : "sign", STR_ARG(signer)));
}

/* CertificateSubjectRestriction: nobody asks for a certificate of the administrators. */
static struct error *check_subject(const struct request *request, const struct json_value *old,
                                   const struct json_value *object)
{
    SCOPED(buf) pem = {.limit = 0};
    bool is_member = false;
    if (!request->kind->records_user || old ||
        !str_eq(json_path_str(object, "spec.signerName"),
                STR("kubernetes.io/kube-apiserver-client")))
        return NULL;
    TRY(base64_decode(&pem, json_path_str(object, "spec.request")));
    TRY(x509_check_request(buf_str(&pem), STR("system:masters"), &is_member));
    if (!is_member)
        return NULL;
    return status_forbidden(kind_gvr(request->kind), json_path_str(object, "metadata.name"),
                            STR("use of kubernetes.io/kube-apiserver-client signer with "
                                "system:masters group is not allowed"));
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

/*
 * What a fleet is made of. deploy/kustomize/components/protection has the same list for servers
 * other than this one. An empty name stands for all resources of the group.
 */
static const struct {
    struct str group, plural;
} protected_kinds[] = {
    {STR_INIT("cluster.x-k8s.io"),        STR_INIT("")          },
    {STR_INIT("addons.cluster.x-k8s.io"), STR_INIT("")          },
    {STR_INIT("corset.dev"),              STR_INIT("")          },
    {STR_INIT(""),                        STR_INIT("configmaps")},
    {STR_INIT(""),                        STR_INIT("secrets")   },
    {STR_INIT(""),                        STR_INIT("namespaces")},
};

static bool can_be_protected(const struct kind *kind)
{
    for (size_t i = 0; i < COUNT(protected_kinds); i++)
        if (str_eq(kind->gvk.group, protected_kinds[i].group) &&
            (!protected_kinds[i].plural.len || str_eq(kind->plural, protected_kinds[i].plural)))
            return true;
    return false;
}

struct error *admission_check_deletion(const struct kind *kind, const struct json_value *object)
{
    const struct json_value *annotations = json_path(object, "metadata.annotations");
    const struct str protect = json_to_str(json_get(annotations, STR(ADMISSION_PROTECT)));
    if (!str_eq(protect, STR("true")) || !can_be_protected(kind) || metadata_is_deleting(object))
        return NULL;
    return status_forbidden(kind_gvr(kind), json_path_str(object, "metadata.name"),
                            STR("it is protected from deletion by the annotation " ADMISSION_PROTECT
                                "; remove the annotation first"));
}

static const struct admission chain[] = {
    {"NamespaceLifecycle",  check_namespace,    NULL         },
    {"NamespaceProtection", protect_namespaces, NULL         },
    {"CustomResources",     check_definition,   NULL         },
    {"RoleEscalation",      NULL,               check_grant  },
    {"CertificateApproval", NULL,               check_signer },
    {"CertificateSubject",  NULL,               check_subject},
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
