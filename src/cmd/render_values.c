#include "cmd/render_values.h"

#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "clusterresourceset/types/values_fill.h"
#include "cmd/management_client.h"

#define ERROR_MAX ((size_t)4000) /* bytes of a message, about */

struct reading {
    const struct global_flags *globals;
    struct str name;
    struct object *cluster;
};

static struct error *read_cluster(void *data)
{
    struct reading *reading = data;
    SCOPED(management_client) management = {0};
    struct key key = {.name = reading->name};
    TRY(management_client_open(&management, reading->globals));
    if (str_find_char(key.name, '/') == STR_NONE)
        key.namespace = management.config.namespace;
    else
        str_cut(&key.name, '/', &key.namespace);
    return management_client_explain(
        client_get(management.client, GVR_CLUSTERS, key, NULL, &reading->cluster));
}

/* The error has been printed by then. */
int render_values_read(const struct global_flags *globals, const char *name,
                       struct object **ret_cluster)
{
    struct reading reading = {.globals = globals, .name = str_from_c(name)};
    const int code = command_run(read_cluster, &reading);
    *ret_cluster = reading.cluster;
    return code;
}

/* Takes the failures of one content together. */
static struct error *explain_failures(const struct failures *failures)
{
    SCOPED(buf) text = {.limit = 0};
    const struct failed_object *single = failures_find_single(failures);
    if (single)
        buf_print(&text, "key %.*s, document %zu: ", STR_ARG(single->key), single->document);
    failures_write(failures, &text, ERROR_MAX);
    return error_new(ERROR_INVALID, "%s", buf_c(&text));
}

struct content *render_values_fill(const struct content *content, const struct object *cluster)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena, .objects = content_count(content)};
    SCOPED(values_use) use = {.has_tokens = NULL};
    SCOPED(values) values = {0};
    struct values_fill fill = {
        .values = &values, .cluster = object_key(cluster), .failures = &failures};
    values_use_find(content, &use);
    if (!use.names.count)
        return NULL;
    values_read(&use.names, cluster, &values);
    struct content *filled = values_fill_content(&fill, content, &use);
    return filled ? filled : content_refuse(content, STR("values"), explain_failures(&failures));
}
