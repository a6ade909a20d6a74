/*
 * As the index of RBAC, the configurations are read from the store and not from the write: writers
 * arrive here in any order and leave the newest state.
 */
#include "apiserver/webhooks/webhook_configurations.h"

#include <stdlib.h>

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

static const struct str resources[WEBHOOK_TYPES] = {
    [WEBHOOK_MUTATING] = STR_INIT("mutatingwebhookconfigurations.admissionregistration.k8s.io"),
    [WEBHOOK_VALIDATING] = STR_INIT("validatingwebhookconfigurations.admissionregistration.k8s.io"),
};

struct webhook_configuration {
    struct json_doc *doc;
    size_t bytes;
};

static void release_configuration(void *value)
{
    struct webhook_configuration *configuration = value;
    json_doc_free(configuration->doc);
    mem_free(configuration);
}

void webhook_configurations_done(struct webhook_configurations *configurations)
{
    for (size_t i = 0; i < WEBHOOK_TYPES; i++)
        map_done(&configurations->by_type[i]);
}

static void remove_configuration(struct webhook_configurations *all, enum webhook_type type,
                                 struct str name)
{
    struct webhook_configuration *former = map_take(&all->by_type[type], name);
    if (!former)
        return;
    all->bytes -= former->bytes;
    release_configuration(former);
}

static void put_configuration(struct webhook_configurations *all, enum webhook_type type,
                              struct str name, const struct object_text *text)
{
    const struct str json = object_text_json(text);
    struct webhook_configuration *configuration = NEW(struct webhook_configuration);
    remove_configuration(all, type, name);
    /* Stored text is readable. If it were not, the configuration would have no webhooks. */
    error_free(json_read(json, &configuration->doc));
    configuration->bytes = json.len;
    all->bytes += json.len;
    all->by_type[type].release = release_configuration;
    (void)map_put(&all->by_type[type], name, configuration);
}

struct load {
    struct api *api;
    enum webhook_type type;
};

static bool load_configuration(void *data, struct key key, struct object_text *text)
{
    const struct load *load = data;
    put_configuration(&load->api->webhook_configurations, load->type, key.name, text);
    return true;
}

struct error *webhook_configurations_load(struct api *api)
{
    for (size_t i = 0; i < WEBHOOK_TYPES; i++) {
        struct load load = {api, (enum webhook_type)i};
        struct store_page page;
        const struct store_range range = {.resource = resources[i]};
        TRY(store_scan(api->store, &range, load_configuration, &load, &page));
    }
    return NULL;
}

void webhook_configurations_update(struct api *api, struct store_id id)
{
    for (size_t i = 0; i < WEBHOOK_TYPES; i++) {
        SCOPED(store_object) found = {0};
        if (!str_eq(id.resource, resources[i]))
            continue;
        OWNED(error) gone = store_get(api->store, id, &found);
        if (gone)
            remove_configuration(&api->webhook_configurations, (enum webhook_type)i, id.key.name);
        else
            put_configuration(&api->webhook_configurations, (enum webhook_type)i, id.key.name,
                              found.text);
    }
}

static int compare_names(const void *a, const void *b)
{
    return str_cmp(map_key(*(const struct map_entry *const *)a),
                   map_key(*(const struct map_entry *const *)b));
}

/* By the names of configurations, and within one as it lists them. */
static void add_webhooks(struct arena *arena, const struct map_entry *const *sorted, size_t count,
                         struct webhook_list *list)
{
    size_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        const struct webhook_configuration *configuration = sorted[i]->value;
        const struct json_value *webhook;
        if (!configuration->doc)
            continue;
        json_doc_hold(arena, json_doc_ref(configuration->doc));
        JSON_FOREACH (key, webhook, json_path(json_doc_root(configuration->doc), "webhooks"))
            ARENA_ARRAY_PUSH(arena, list->items, list->count, capacity, webhook);
    }
}

struct error *webhook_configurations_list(const struct api *api, struct arena *arena,
                                          enum webhook_type type, struct webhook_list *ret_list)
{
    const struct webhook_configurations *all = &api->webhook_configurations;
    const struct map *map = &all->by_type[type];
    size_t count = 0;
    *ret_list = (struct webhook_list){0};
    if (map_count(map) == 0)
        return NULL;
    if (all->bytes > WEBHOOK_CONFIGURATIONS_MAX)
        return status_internal("the webhook configurations have %zu bytes and may have %zu; delete "
                               "some of them",
                               all->bytes, (size_t)WEBHOOK_CONFIGURATIONS_MAX);
    const struct map_entry **sorted =
        arena_alloc_array(arena, map_count(map), sizeof(const struct map_entry *));
    MAP_FOREACH (entry, map)
        sorted[count++] = entry;
    qsort(sorted, count, sizeof(const struct map_entry *), compare_names);
    add_webhooks(arena, sorted, count, ret_list);
    return NULL;
}
