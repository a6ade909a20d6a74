/*
 * The namespaces of a new cluster, the bootstrap policy of auth/, and the ConfigMap in which
 * aggregated API servers look up the client certificate authority.
 */
#include "apiserver/bootstrap.h"

#include "apiserver/auth/auth.h"
#include "apiserver/ensure_object.h"
#include "json/json.h"

static const struct str namespaces[] = {
    STR_INIT("default"),
    STR_INIT("kube-node-lease"),
    STR_INIT("kube-public"),
    STR_INIT("kube-system"),
};

static struct error *ensure_text(struct api *api, struct str text)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_read(text, &doc));
    return ensure_object(api, doc, ENSURE_IF_MISSING);
}

struct error *bootstrap_publish_authority(struct api *api, struct str authority)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    if (authority.len == 0)
        return NULL;
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"extension-apiserver-authentication\",\"namespace\":\"kube-system\"},"
                       "\"data\":{\"client-ca-file\":"));
    buf_add_json_string(&text, authority);
    buf_add(&text, STR("}}"));
    TRY(json_read(buf_str(&text), &doc));
    return ensure_object(api, doc, ENSURE_MERGE);
}

struct error *bootstrap_fill(struct api *api, bool with_roles, struct str authority)
{
    for (size_t i = 0; i < COUNT(namespaces); i++) {
        SCOPED(buf) text = {.limit = 0};
        buf_print(&text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%.*s\","
                  "\"labels\":{\"kubernetes.io/metadata.name\":\"%.*s\"}},"
                  "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}",
                  STR_ARG(namespaces[i]), STR_ARG(namespaces[i]));
        TRY(ensure_text(api, buf_str(&text)), "namespace %.*s", STR_ARG(namespaces[i]));
    }
    for (size_t i = 0; with_roles && i < bootstrap_policy_count(); i++)
        TRY(ensure_text(api, str_from_c(bootstrap_policy(i))), "role or binding %zu", i);
    return bootstrap_publish_authority(api, authority);
}
