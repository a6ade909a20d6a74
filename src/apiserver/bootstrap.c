#include "apiserver/bootstrap.h"

#include "access/access.h"
#include "apiserver/api.h"
#include "apiserver/metadata.h"
#include "apiserver/stored.h"
#include "async/loop.h"
#include "base/random.h"
#include "json/path.h"

static const struct str namespaces[] = {
    STR_INIT("default"),
    STR_INIT("kube-node-lease"),
    STR_INIT("kube-public"),
    STR_INIT("kube-system"),
};

struct seed {
    struct api *api;
    const struct kind *kind;
    struct json_doc *doc;
};

static struct error *put_if_missing(void *data, struct store_edit *edit)
{
    const struct seed *seed = data;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) versioned = NULL;
    char uid[RANDOM_UUID_LEN + 1];
    const struct metadata_new values = {
        .name = json_path_str(json_doc_root(seed->doc), "metadata.name"),
        .namespace = json_path_str(json_doc_root(seed->doc), "metadata.namespace"),
        .uid = random_uuid(loop_random(seed->api->loop), uid),
        .now = loop_wall(seed->api->loop),
        .has_generation = seed->kind->has_generation,
    };
    if (edit->previous)
        return NULL;
    TRY(metadata_create(seed->doc, &values, &filled));
    TRY(metadata_set_version(filled, edit->revision, &versioned));
    TRY(stored_text(seed->kind, versioned, &edit->text));
    edit->verdict = STORE_PUT;
    return NULL;
}

static struct error *plant(struct api *api, struct str text)
{
    OWNED(json_doc) doc = NULL;
    struct gvk gvk;
    TRY(json_read(text, &doc));
    const struct json_value *root = json_doc_root(doc);
    TRY(gvk_from_api_version(json_path_str(root, "apiVersion"), json_path_str(root, "kind"), &gvk));
    const struct kind *kind = kinds_find_kind(gvk);
    if (!kind)
        return error_new(ERROR_INTERNAL, "%.*s is no built-in kind", STR_ARG(gvk.kind));
    struct seed seed = {api, kind, doc};
    const struct key key = {json_path_str(root, "metadata.namespace"),
                            json_path_str(root, "metadata.name")};
    return api_change(api, api_id(kind, key), STORE_ANY, put_if_missing, &seed, NULL);
}

/* Where servers beside this one look up whom it trusts. */
static struct error *publish_authority(struct api *api, struct str authority)
{
    SCOPED(buf) text = {.limit = 0};
    if (authority.len == 0)
        return NULL;
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"extension-apiserver-authentication\",\"namespace\":\"kube-system\"},"
                       "\"data\":{\"client-ca-file\":"));
    buf_add_json_string(&text, authority);
    buf_add(&text, STR("}}"));
    return plant(api, buf_str(&text));
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
        TRY(plant(api, buf_str(&text)), "namespace %.*s", STR_ARG(namespaces[i]));
    }
    for (size_t i = 0; with_roles && i < access_bootstrap_count(); i++)
        TRY(plant(api, str_from_c(access_bootstrap(i))), "role or binding %zu", i);
    return publish_authority(api, authority);
}
