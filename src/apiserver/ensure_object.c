/*
 * A create or a merge patch without a request. The generation and resourceVersion are counted as
 * for writes of clients, so that watches and controllers see an ordinary change.
 */
#include "apiserver/ensure_object.h"

#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/metadata.h"
#include "async/loop.h"
#include "base/random.h"
#include "json/compare.h"
#include "json/merge_patch.h"
#include "json/path.h"

struct ensure_object {
    struct api *api;
    const struct kind *kind;
    struct json_doc *doc;
    enum ensure_object_mode mode;
};

static struct error *put_new(const struct ensure_object *wanted, struct store_edit *edit)
{
    OWNED(json_doc) filled = NULL;
    char uid[RANDOM_UUID_LEN + 1];
    const struct metadata_new values = {
        .name = json_path_str(json_doc_root(wanted->doc), "metadata.name"),
        .namespace = json_path_str(json_doc_root(wanted->doc), "metadata.namespace"),
        .uid = random_uuid(loop_random(wanted->api->loop), uid),
        .now = loop_wall(wanted->api->loop),
        .has_generation = wanted->kind->has_generation,
    };
    TRY(metadata_create(wanted->doc, &values, &filled));
    return codec_write_edit(wanted->kind, filled, STORE_PUT, edit, NULL);
}

/* An object that has all members already is not written. */
static struct error *put_merged(const struct ensure_object *wanted, struct store_edit *edit)
{
    const bool status_apart = kind_subresource(wanted->kind, STR("status")) != NULL;
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) merged = NULL;
    OWNED(json_doc) counted = NULL;
    TRY(codec_read_stored(wanted->kind, edit->previous, &old));
    TRY(merge_patch_apply(json_doc_root(old), json_doc_root(wanted->doc), &merged));
    if (json_equal(json_doc_root(old), json_doc_root(merged)))
        return NULL;
    if (wanted->kind->has_generation)
        TRY(metadata_count_generation(merged, json_doc_root(old),
                                      status_apart ? METADATA_STATUS_APART : 0, &counted));
    return codec_write_edit(wanted->kind, counted ? counted : merged, STORE_PUT, edit, NULL);
}

/* The store_edit_fn: creates, merges or keeps, depending on the mode. */
static struct error *decide_ensure(void *data, struct store_edit *edit)
{
    const struct ensure_object *wanted = data;
    if (!edit->previous)
        return wanted->mode == ENSURE_AMEND ? NULL : put_new(wanted, edit);
    return wanted->mode == ENSURE_IF_MISSING ? NULL : put_merged(wanted, edit);
}

/* A custom kind lives as long as the arena. */
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

struct error *ensure_object(struct api *api, struct json_doc *doc, enum ensure_object_mode mode)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct json_value *root = json_doc_root(doc);
    const struct key key = {json_path_str(root, "metadata.namespace"),
                            json_path_str(root, "metadata.name")};
    struct gvk gvk;
    TRY(gvk_from_api_version(json_path_str(root, "apiVersion"), json_path_str(root, "kind"), &gvk));
    struct ensure_object wanted = {api, find_kind(api, &arena, gvk), doc, mode};
    if (!wanted.kind)
        return error_new(ERROR_NOT_FOUND, "kind %.*s of %.*s is not served", STR_ARG(gvk.kind),
                         STR_ARG(json_path_str(root, "apiVersion")));
    return api_change(api, api_id(wanted.kind, key), STORE_ANY, decide_ensure, &wanted, NULL);
}
