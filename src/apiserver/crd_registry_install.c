/*
 * CustomResourceDefinitions that an API brings along.
 *
 * A definition that exists is left alone, because an administrator may have created or changed it.
 * The exception is a definition that was installed here and was not changed since: it is replaced
 * by a newer one. The hash of its spec, kept in an annotation, tells.
 */
#include "apimachinery/wellknown.h"
#include "apiserver/api.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/metadata.h"
#include "async/loop.h"
#include "base/random.h"
#include "base/sha256.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"
#include "json/yaml/manifest.h"

#define INSTALLED STR("corset.dev/installed-spec")

struct install {
    struct api *api;
    const struct kind *kind;
    struct json_doc *doc; /* ready to be stored, except for the server's metadata */
};

/* "sha256:…" of the spec of a definition. */
static void add_hash(struct buf *out, const struct json_value *definition)
{
    SCOPED(buf) text = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    json_write_canonical(&text, json_get(definition, STR("spec")));
    sha256_of(buf_str(&text), digest);
    buf_add(out, STR("sha256:"));
    for (size_t i = 0; i < sizeof(digest); i++)
        buf_print(out, "%02x", digest[i]);
}

static struct str installed_hash(const struct json_value *definition)
{
    return json_to_str(json_get(json_path(definition, "metadata.annotations"), INSTALLED));
}

/* Whether the spec is still the one that was installed. */
static bool is_untouched(const struct json_value *definition)
{
    SCOPED(buf) hash = {.limit = 0};
    add_hash(&hash, definition);
    return !metadata_is_deleting(definition) && str_eq(installed_hash(definition), buf_str(&hash));
}

/* The definition as a request would be read, with the annotation added. */
static struct error *prepare_definition(const struct install *install, struct json_doc *given,
                                        struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_edit) edit = {0};
    SCOPED(buf) hash = {.limit = 0};
    struct json_warnings unknown = {.arena = &arena};
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) prepared = NULL;
    const struct kind_ops *ops = install->kind->ops;
    const struct kind_write write = {.now = loop_wall(install->api->loop), .arena = &arena};
    TRY(ops->decode(install->kind, given, &unknown, &decoded));
    if (unknown.count)
        return error_new(ERROR_INVALID, "%.*s", STR_ARG(unknown.items[0]));
    TRY(ops->default_(install->kind, decoded, &filled));
    TRY(ops->prepare(install->kind, &write, filled, &prepared));
    add_hash(&hash, json_doc_root(prepared));
    json_edit_init(&edit, json_doc_root(prepared));
    json_edit_set_str(&edit, JSON_PLACE_KEY("metadata.annotations", INSTALLED), buf_str(&hash));
    return json_edit_finish(&edit, ret_doc);
}

static struct error *validate_definition(const struct json_value *definition,
                                         const struct json_value *old)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    definition_validate(definition, old, &errors);
    if (errors.count == 0)
        return NULL;
    field_errors_write(&text, &errors);
    return error_new(ERROR_INVALID, "%.*s", STR_ARG(buf_str(&text)));
}

static struct error *make_new(const struct install *install, struct json_doc **ret_doc)
{
    char uid[RANDOM_UUID_LEN + 1];
    const struct metadata_new values = {
        .name = json_path_str(json_doc_root(install->doc), "metadata.name"),
        .uid = random_uuid(loop_random(install->api->loop), uid),
        .now = loop_wall(install->api->loop),
        .has_generation = install->kind->has_generation,
    };
    TRY(validate_definition(json_doc_root(install->doc), NULL));
    return metadata_create(install->doc, &values, ret_doc);
}

/* The old definition with the new spec; the same document when nothing is to be changed. */
static struct error *renew_definition(const struct install *install, struct json_doc *old,
                                      struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) changed = NULL;
    OWNED(json_doc) filled = NULL;
    const struct json_value *was = json_doc_root(old), *wanted = json_doc_root(install->doc);
    const struct str hash = installed_hash(wanted);
    if (!is_untouched(was) || str_eq(installed_hash(was), hash)) {
        *ret_doc = json_doc_ref(old);
        return NULL;
    }
    json_edit_init(&edit, was);
    json_edit_set(&edit, JSON_PLACE("spec"), json_get(wanted, STR("spec")));
    json_edit_set_str(&edit, JSON_PLACE_KEY("metadata.annotations", INSTALLED), hash);
    TRY(json_edit_finish(&edit, &changed));
    TRY(definition_default(changed, &filled));
    TRY(validate_definition(json_doc_root(filled), was));
    return metadata_count_generation(filled, was, METADATA_STATUS_APART, ret_doc);
}

/* The store_edit_fn of an installation. */
static struct error *decide_install(void *data, struct store_edit *edit)
{
    const struct install *install = data;
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    if (edit->previous) {
        TRY(codec_read_stored(install->kind, edit->previous, &old));
        TRY(renew_definition(install, old, &doc));
    } else {
        TRY(make_new(install, &doc));
    }
    if (doc == old)
        return NULL;
    return codec_write_edit(install->kind, doc, STORE_PUT, edit, NULL);
}

static struct error *install_one(struct api *api, struct str text)
{
    OWNED(json_doc) given = NULL;
    OWNED(json_doc) doc = NULL;
    struct install install = {.api = api, .kind = crd_registry_kind(kinds_find_kind(GVK_CRD))};
    TRY(manifest_read_one(text, NULL, &given, NULL));
    const struct str name = json_path_str(json_doc_root(given), "metadata.name");
    TRY(prepare_definition(&install, given, &doc), "%.*s", STR_ARG(name));
    install.doc = doc;
    return error_wrap(api_change(api, api_id(install.kind, (struct key){.name = name}), STORE_ANY,
                                 decide_install, &install, NULL),
                      "%.*s", STR_ARG(name));
}

struct error *crd_registry_install(struct api *api, const struct str *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        TRY(install_one(api, texts[i]));
    return NULL;
}
