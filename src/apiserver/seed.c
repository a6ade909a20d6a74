#include "apiserver/seed.h"

#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/metadata.h"
#include "async/loop.h"
#include "base/random.h"
#include "json/compare.h"
#include "json/merge_patch.h"
#include "json/path.h"

struct seed {
    struct api *api;
    const struct kind *kind;
    struct json_doc *doc;
    enum seed_mode mode;
};

static struct error *put(const struct seed *seed, struct json_doc *doc, struct store_edit *edit)
{
    OWNED(json_doc) versioned = NULL;
    TRY(metadata_set_version(doc, edit->revision, &versioned));
    TRY(codec_write_stored(seed->kind, versioned, &edit->text));
    edit->action = STORE_PUT;
    return NULL;
}

static struct error *put_new(const struct seed *seed, struct store_edit *edit)
{
    OWNED(json_doc) filled = NULL;
    char uid[RANDOM_UUID_LEN + 1];
    const struct metadata_new values = {
        .name = json_path_str(json_doc_root(seed->doc), "metadata.name"),
        .namespace = json_path_str(json_doc_root(seed->doc), "metadata.namespace"),
        .uid = random_uuid(loop_random(seed->api->loop), uid),
        .now = loop_wall(seed->api->loop),
        .has_generation = seed->kind->has_generation,
    };
    TRY(metadata_create(seed->doc, &values, &filled));
    return put(seed, filled, edit);
}

static struct error *put_merged(const struct seed *seed, struct store_edit *edit)
{
    const bool status_apart = kind_subresource(seed->kind, STR("status")) != NULL;
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) counted = NULL;
    TRY(codec_read_stored(seed->kind, edit->previous, &old));
    TRY(merge_patch_apply(json_doc_root(old), json_doc_root(seed->doc), &merged));
    if (json_equal(json_doc_root(old), json_doc_root(merged)))
        return NULL;
    if (seed->kind->has_generation)
        TRY(metadata_count_generation(merged, json_doc_root(old),
                                      status_apart ? METADATA_STATUS_APART : 0, &counted));
    return put(seed, counted ? counted : merged, edit);
}

static struct error *decide(void *data, struct store_edit *edit)
{
    const struct seed *seed = data;
    if (!edit->previous)
        return seed->mode == SEED_AMEND ? NULL : put_new(seed, edit);
    return seed->mode == SEED_IF_MISSING ? NULL : put_merged(seed, edit);
}

/* A custom one stays alive as long as the arena. */
static const struct kind *find_kind(struct api *api, struct arena *arena, struct gvk gvk)
{
    const struct kind *kind = kinds_find_kind(gvk);
    if (kind)
        return kind;
    const struct kind_list kinds = api_kinds(api, arena);
    for (size_t i = 0; i < kinds.count; i++)
        if (gvk_eq(kinds.items[i]->gvk, gvk))
            return kinds.items[i];
    return NULL;
}

struct error *seed_put(struct api *api, struct json_doc *doc, enum seed_mode mode)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct json_value *root = json_doc_root(doc);
    const struct key key = {json_path_str(root, "metadata.namespace"),
                            json_path_str(root, "metadata.name")};
    struct gvk gvk;
    TRY(gvk_from_api_version(json_path_str(root, "apiVersion"), json_path_str(root, "kind"), &gvk));
    struct seed seed = {api, find_kind(api, &arena, gvk), doc, mode};
    if (!seed.kind)
        return error_new(ERROR_NOT_FOUND, "kind %.*s of %.*s is not served", STR_ARG(gvk.kind),
                         STR_ARG(json_path_str(root, "apiVersion")));
    return api_change(api, api_id(seed.kind, key), STORE_ANY, decide, &seed, NULL);
}
