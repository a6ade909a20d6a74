/*
 * Groups are found by a digest of the result. The first result with a digest stays, the others are
 * freed. Digests are never shown.
 */
#include "clusterresourceset/preview/preview.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/sha256.h"

/* What all different results may take together. */
#define RESULTS_MAX (512 * MEGABYTE)

char preview_sign_char(enum preview_sign sign)
{
    static const char chars[] = {[PREVIEW_CREATED] = '+',
                                 [PREVIEW_CHANGED] = '~',
                                 [PREVIEW_PRUNED] = '-',
                                 [PREVIEW_REFUSED] = '!',
                                 [PREVIEW_UNKNOWN] = '?'};
    return chars[sign];
}

struct preview_result *preview_result_new(void)
{
    struct preview_result *result = NEW(struct preview_result);
    result->arena.limit = RESULTS_MAX;
    return result;
}

void preview_result_free(struct preview_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->count; i++)
        object_free(result->objects[i].manifest);
    mem_free(result->objects);
    arena_done(&result->arena);
    mem_free(result);
}

void preview_result_add(struct preview_result *result, const struct preview_object *object)
{
    ARRAY_PUSH(result->objects, result->count, result->capacity, *object);
    if (object->manifest)
        object_ref(object->manifest);
}

static void release_group(void *value)
{
    struct preview_group *group = value;
    preview_result_free(group->result);
    mem_free(group->clusters);
    mem_free(group);
}

void preview_done(struct preview *preview)
{
    map_done(&preview->by_digest);
    mem_free(preview->groups);
    mem_free(preview->unchanged.clusters);
    mem_free(preview->silences);
    arena_done(&preview->arena);
}

static void add_part(struct sha256 *sha, struct str part)
{
    sha256_add(sha, str_from((const char *)&part.len, sizeof(part.len)));
    sha256_add(sha, part);
}

static void add_number(struct sha256 *sha, uint64_t number)
{
    sha256_add(sha, str_from((const char *)&number, sizeof(number)));
}

static void add_value(struct sha256 *sha, const struct preview_value *value)
{
    add_number(sha, value->type);
    add_number(sha, value->secret);
    add_part(sha, value->text);
}

/* A manifest is that of the set, which is the same for all clusters: its name is enough. */
static void add_object(struct sha256 *sha, const struct preview_object *object)
{
    const struct str parts[] = {object->set,  object->resource,  object->api_version,
                                object->kind, object->namespace, object->name,
                                object->text};
    for (size_t i = 0; i < COUNT(parts); i++)
        add_part(sha, parts[i]);
    add_number(sha, object->sign);
    add_number(sha, object->changes.hash);
    add_number(sha, object->changes.count + object->changes.omitted);
    for (size_t i = 0; i < object->changes.count; i++) {
        add_part(sha, object->changes.items[i].path);
        add_value(sha, &object->changes.items[i].before);
        add_value(sha, &object->changes.items[i].after);
    }
}

static struct preview_group *find_group(struct preview *preview,
                                        const struct preview_result *result, bool *ret_is_new)
{
    SCOPED(sha256) sha = {0};
    uint8_t digest[SHA256_LEN];
    add_number(&sha, result->count);
    for (size_t i = 0; i < result->count; i++)
        add_object(&sha, &result->objects[i]);
    sha256_finish(&sha, digest);
    const struct str key = str_from((const char *)digest, sizeof(digest));
    struct preview_group *group = map_find(&preview->by_digest, key);
    *ret_is_new = !group;
    if (!group) {
        group = NEW(struct preview_group);
        preview->by_digest.release = release_group;
        map_put(&preview->by_digest, key, group);
        ARRAY_PUSH(preview->groups, preview->group_count, preview->group_capacity, group);
    }
    return group;
}

static struct str name_cluster(struct preview *preview, struct key cluster)
{
    return arena_print(&preview->arena, "%.*s/%.*s", STR_ARG(cluster.namespace),
                       STR_ARG(cluster.name));
}

struct error *preview_add(struct preview *preview, struct key cluster,
                          struct preview_result *result)
{
    struct preview_group *group = &preview->unchanged;
    bool is_new = false;
    if (result->count)
        group = find_group(preview, result, &is_new);
    ARRAY_PUSH(group->clusters, group->count, group->capacity, name_cluster(preview, cluster));
    if (!is_new) {
        preview_result_free(result);
        return NULL;
    }
    group->result = result;
    preview->used += result->arena.used;
    if (preview->used > RESULTS_MAX)
        return error_new(ERROR_TOO_LARGE,
                         "the differences of %zu groups of clusters are too much "
                         "to be kept; choose fewer clusters",
                         preview->group_count);
    return NULL;
}

/* A word or two for a table; the message says all. */
static struct str choose_reason(const struct error *err)
{
    static const struct {
        enum error_code code;
        struct str reason;
    } reasons[] = {
        {ERROR_DEADLINE,            STR_INIT("timeout")        },
        {ERROR_TIMEOUT,             STR_INIT("timeout")        },
        {ERROR_SERVER_TIMEOUT,      STR_INIT("timeout")        },
        {ERROR_CONNECTION,          STR_INIT("connection lost")},
        {ERROR_PROTOCOL,            STR_INIT("no API server")  },
        {ERROR_TLS,                 STR_INIT("TLS")            },
        {ERROR_UNAUTHORIZED,        STR_INIT("unauthorized")   },
        {ERROR_NOT_CONNECTED,       STR_INIT("not provisioned")},
        {ERROR_NOT_FOUND,           STR_INIT("no kubeconfig")  },
        {ERROR_INVALID,             STR_INIT("bad kubeconfig") },
        {ERROR_FORBIDDEN,           STR_INIT("forbidden")      },
        {ERROR_TOO_MANY_REQUESTS,   STR_INIT("overloaded")     },
        {ERROR_SERVICE_UNAVAILABLE, STR_INIT("unavailable")    },
    };
    if (err->code == ERROR_UNREACHABLE)
        return str_contains(str_from_c(err->message), STR("refused")) ? STR("refused")
                                                                      : STR("unreachable");
    for (size_t i = 0; i < COUNT(reasons); i++)
        if (reasons[i].code == err->code)
            return reasons[i].reason;
    return error_code_name(err->code);
}

void preview_add_silence(struct preview *preview, struct key cluster, const struct error *err)
{
    const struct preview_silence silence = {name_cluster(preview, cluster), choose_reason(err),
                                            arena_str(&preview->arena, str_from_c(err->message))};
    ARRAY_PUSH(preview->silences, preview->silence_count, preview->silence_capacity, silence);
}

static int compare_names(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static int compare_silences(const void *a, const void *b)
{
    const struct preview_silence *x = a, *y = b;
    return str_cmp(x->cluster, y->cluster);
}

/* The largest first; of equal ones the one with the first cluster. */
static int compare_groups(const void *a, const void *b)
{
    const struct preview_group *x = *(struct preview_group *const *)a,
                               *y = *(struct preview_group *const *)b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return str_cmp(x->clusters[0], y->clusters[0]);
}

static void sort_clusters(struct preview_group *group)
{
    if (group->count)
        qsort(group->clusters, group->count, sizeof(*group->clusters), compare_names);
}

void preview_sort(struct preview *preview)
{
    sort_clusters(&preview->unchanged);
    for (size_t i = 0; i < preview->group_count; i++)
        sort_clusters(preview->groups[i]);
    if (preview->group_count)
        qsort(preview->groups, preview->group_count, sizeof(struct preview_group *),
              compare_groups);
    if (preview->silence_count)
        qsort(preview->silences, preview->silence_count, sizeof(*preview->silences),
              compare_silences);
}
