/* What ConfigMaps and Secrets hold, and which objects clusters have of it. */
#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "base/base64.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "clusterresourceset/types/content.h"
#include "json/path.h"
#include "soak/sets/sets.h"

/* Namespaces that every cluster begins with. */
const struct resource_place sets_places[RESOURCES] = {
    {false, "default",         false},
    {false, "kube-system",     false},
    {true,  "kube-public",     false},
    {false, "kube-node-lease", false},
    {true,  "default",         true },
};

static struct gvr gvr_of(size_t resource)
{
    return sets_places[resource].is_secret ? GVR_SECRETS : GVR_CONFIG_MAPS;
}

static void write_object(struct buf *out, const struct content_version *version,
                         const char *namespace, char letter, bool has_values)
{
    SCOPED(buf) value = {.limit = 0};
    char text[16];
    const size_t resource = version->resource;
    const bool is_secret = sets_places[resource].holds_secrets;
    snprintf(text, sizeof(text), "%u", version->number);
    if (is_secret)
        base64_encode(&value, str_from_c(text));
    else
        buf_add(&value, str_from_c(text));
    buf_print(out,
              "---\napiVersion: v1\nkind: %s\nmetadata: {name: r%zu-%c, namespace: %s%s}\n"
              "data: {v: \"%.*s\"}\n",
              is_secret ? "Secret" : "ConfigMap", resource, letter, namespace,
              has_values ? ", annotations: {at: '" TAMPERING_VALUES "'}" : "",
              STR_ARG(buf_str(&value)));
}

static void write_manifest(struct buf *out, const struct content_version *version, bool has_values)
{
    const char *namespace = sets_places[version->resource].namespace;
    if (version->quality == BROKEN) {
        buf_print(out, "kind: [%u\n", version->number);
        return;
    }
    write_object(out, version, namespace, 'a', has_values);
    if (version->quality == PARTIAL)
        write_object(out, version, "nowhere", 'b', has_values);
    else if (version->objects > 1)
        write_object(out, version, namespace, 'b', has_values);
}

static struct content_version *add_version(struct sets *sets, size_t resource, enum quality quality)
{
    sets->versions =
        mem_realloc_array(sets->versions, sets->version_count + 1, sizeof(struct content_version));
    struct content_version *version = &sets->versions[sets->version_count++];
    *version = (struct content_version){
        .resource = resource,
        .quality = quality,
        .number = (unsigned)sets->version_count,
        .objects = draw_chance(&sets->users_dice, 0.5) ? 2 : 1,
        .written_at = loop_now(loop_current()),
    };
    return version;
}

static void note_hash(struct content_version *version, struct str manifest)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    sha256_of(manifest, digest);
    sha256_hex(digest, hex);
    snprintf(version->hash, sizeof(version->hash), "sha256:%s", hex);
}

static void write_target(char target[static SETS_TEXT_MAX], size_t resource, bool whole)
{
    const int len = snprintf(target, SETS_TEXT_MAX, "/api/v1/namespaces/default/%s",
                             sets_places[resource].is_secret ? "secrets" : "configmaps");
    if (whole)
        snprintf(target + len, SETS_TEXT_MAX - (size_t)len, "/r%zu", resource);
}

void catalog_remove(struct sets *sets, size_t resource)
{
    char target[SETS_TEXT_MAX];
    write_target(target, resource, true);
    (void)front_call(&sets->management, "DELETE", target, "");
}

static void write_data(struct buf *body, size_t resource, struct str manifest)
{
    SCOPED(buf) value = {.limit = 0};
    if (sets_places[resource].is_secret)
        base64_encode(&value, manifest);
    else
        buf_add(&value, manifest);
    buf_print(body, "\"data\":{\"m\":");
    buf_add_json_string(body, buf_str(&value));
    buf_print(body, "}");
}

/* The type of a Secret is for life: another type takes another Secret. */
static bool has_type(const struct json_doc *doc, enum quality quality)
{
    const struct str type = json_path_str(json_doc_root(doc), "type");
    return !type.len || str_eq(type, STR(CONTENT_SECRET_TYPE)) == (quality != WRONG_TYPE);
}

void catalog_write(struct sets *sets, size_t resource, enum quality quality)
{
    SCOPED(buf) manifest = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    char target[SETS_TEXT_MAX];
    OWNED(json_doc) before = sets_find_resource(sets, resource);
    struct content_version *version = add_version(sets, resource, quality);
    write_manifest(&manifest, version, sets->profile.has_values);
    note_hash(version, buf_str(&manifest));
    const bool is_kept = before && has_type(before, quality);
    if (before && !is_kept)
        catalog_remove(sets, resource);
    const bool is_secret = sets_places[resource].is_secret;
    buf_print(&body, "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"r%zu\"},",
              is_secret ? "Secret" : "ConfigMap", resource);
    if (is_secret)
        buf_print(&body, "\"type\":\"%s\",",
                  quality == WRONG_TYPE ? "Opaque" : CONTENT_SECRET_TYPE);
    write_data(&body, resource, buf_str(&manifest));
    buf_print(&body, "}");
    write_target(target, resource, is_kept);
    (void)front_call(&sets->management, is_kept ? "PATCH" : "POST", target, buf_c(&body));
}

const struct content_version *catalog_find(const struct sets *sets, size_t resource,
                                           struct str hash)
{
    for (size_t i = 0; i < sets->version_count; i++)
        if (sets->versions[i].resource == resource &&
            str_eq(str_from_c(sets->versions[i].hash), hash))
            return &sets->versions[i];
    return NULL;
}

/* The newest one is what was written last; whoever deleted it wrote nothing. */
enum quality catalog_judge(struct sets *sets, size_t resource,
                           const struct content_version **ret_version)
{
    OWNED(json_doc) doc = sets_find_resource(sets, resource);
    *ret_version = NULL;
    if (!doc)
        return ABSENT;
    for (size_t i = sets->version_count; i-- > 0 && !*ret_version;)
        if (sets->versions[i].resource == resource)
            *ret_version = &sets->versions[i];
    CHECK(*ret_version != NULL);
    return (*ret_version)->quality;
}

bool catalog_lacks(const struct sets *sets, size_t resource, char letter, int64_t since)
{
    for (size_t i = sets->version_count; i-- > 0;) {
        const struct content_version *version = &sets->versions[i];
        if (version->resource != resource)
            continue;
        if (version->quality == FINE && (unsigned)(letter - 'a') >= version->objects)
            return true;
        if (version->written_at < since)
            return false;
    }
    return false;
}

struct json_doc *catalog_find_object(struct sets *sets, size_t cluster, size_t resource,
                                     char letter)
{
    char name[16];
    snprintf(name, sizeof(name), "r%zu-%c", resource, letter);
    const struct key key = {str_from_c(sets_places[resource].namespace), str_from_c(name)};
    return front_find(&sets->workloads[cluster],
                      sets_places[resource].holds_secrets ? GVR_SECRETS : GVR_CONFIG_MAPS, key);
}

bool catalog_is_of(const struct content_version *version, const struct json_doc *object)
{
    SCOPED(buf) value = {.limit = 0};
    char text[16];
    const struct str found = json_path_str(json_doc_root(object), "data.v");
    snprintf(text, sizeof(text), "%u", version->number);
    if (sets_places[version->resource].holds_secrets)
        CHECK_OK(base64_decode(&value, found));
    else
        buf_add(&value, found);
    return str_eq(buf_str(&value), str_from_c(text));
}

struct error *catalog_check(struct sets *sets, const struct content_version *version,
                            size_t cluster, bool exact)
{
    for (unsigned i = 0; i < version->objects; i++) {
        const char letter = (char)('a' + i);
        OWNED(json_doc) object = catalog_find_object(sets, cluster, version->resource, letter);
        if (!object)
            return error_new(ERROR_INVALID, "c%zu has no r%zu-%c", cluster, version->resource,
                             letter);
        if (exact && !catalog_is_of(version, object))
            return error_new(ERROR_INVALID, "r%zu-%c of c%zu is not of version %u",
                             version->resource, letter, cluster, version->number);
    }
    return NULL;
}

struct json_doc *sets_find_resource(struct sets *sets, size_t resource)
{
    char name[16];
    snprintf(name, sizeof(name), "r%zu", resource);
    return front_find(&sets->management, gvr_of(resource),
                      (struct key){STR("default"), str_from_c(name)});
}
