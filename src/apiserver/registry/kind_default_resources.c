/*
 * Defaults of the resources of a whole Pod: what its containers ask for and are limited to.
 *
 * Upstream: defaultHugePagePodLimits() and defaultPodRequests() in
 * k8s.io/kubernetes/pkg/apis/core/v1/defaults.go. They come behind the defaults of containers,
 * whose requests are their limits; here the containers do not have these yet.
 */
#include "apiserver/registry/kind_default_internal.h"
#include "apiserver/registry/pod_resources.h"
#include "base/map.h"
#include "json/path.h"

#define HUGE_PAGES STR("hugepages-")

static void write_amount(struct json_builder *out, struct str name, struct quota_amount amount)
{
    SCOPED(buf) text = {.limit = 0};
    quota_amount_write(&text, amount);
    json_builder_key(out, name);
    json_builder_str(out, buf_str(&text));
}

static void write_values(struct json_builder *out, const struct json_value *values)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, values) {
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
}

static void add_pages(const struct json_value *spec, const struct json_value *limits,
                      struct map *names)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, limits)
        if (str_starts_with(key, HUGE_PAGES) &&
            !json_get(json_path(spec, "resources.limits"), key) &&
            !json_get(json_path(spec, "resources.requests"), key))
            map_put(names, key, NULL);
}

/* The sizes of huge pages that containers are limited to, and the Pod says nothing of. */
static void find_pages(const struct json_value *spec, struct map *ret_names)
{
    static const char *const lists[] = {"initContainers", "containers"};
    const struct json_value *container;
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, container, json_path(spec, lists[i]))
            add_pages(spec, json_path(container, "resources.limits"), ret_names);
}

static void write_pages(struct json_builder *out, const struct json_value *spec,
                        const struct map *names)
{
    struct quota_amount sum;
    MAP_FOREACH (entry, names)
        if (pod_resources_of_containers(spec, "resources.limits", map_key(entry), &sum))
            write_amount(out, map_key(entry), sum);
}

/* A request is that of all containers, and the limit where they have none. */
static void write_requests(struct json_builder *out, const struct json_value *spec,
                           const struct map *pages)
{
    static const char *const names[] = {"cpu", "memory"};
    const struct json_value *requests = json_path(spec, "resources.requests"), *value;
    const struct json_value *limits = json_path(spec, "resources.limits");
    struct quota_amount sum;
    write_values(out, requests);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct str name = str_from_c(names[i]);
        if (json_get(requests, name))
            continue;
        if (pod_resources_of_requests(spec, name, &sum)) {
            write_amount(out, name, sum);
        } else if (json_get(limits, name)) {
            json_builder_key(out, name);
            json_builder_value(out, json_get(limits, name));
        }
    }
    JSON_FOREACH (key, value, limits)
        if (str_starts_with(key, HUGE_PAGES) && !json_get(requests, key)) {
            json_builder_key(out, key);
            json_builder_value(out, value);
        }
    write_pages(out, spec, pages);
}

/* Resources of which the Pod says nothing at all stay as they are. */
bool default_pod_resources(const struct default_scope *scope, const struct json_value *object,
                           struct json_builder *out)
{
    SCOPED(map) pages = {.release = NULL};
    const struct json_value *resources = json_path(object, "resources");
    const bool has_limits = json_count(json_path(resources, "limits")) > 0;
    const bool has_requests = json_count(json_path(resources, "requests")) > 0;
    (void)scope;
    if (!resources)
        return false;
    if (has_limits || has_requests)
        find_pages(object, &pages);
    json_builder_object(out);
    if (has_limits || map_count(&pages)) {
        json_builder_add_object(out, "limits");
        write_values(out, json_path(resources, "limits"));
        write_pages(out, object, &pages);
        json_builder_end(out);
    }
    if (has_limits || has_requests) {
        json_builder_add_object(out, "requests");
        if (has_limits || map_count(&pages))
            write_requests(out, object, &pages);
        else
            write_values(out, json_path(resources, "requests"));
        json_builder_end(out);
    }
    if (json_path(resources, "claims"))
        json_builder_add_value(out, "claims", json_path(resources, "claims"));
    json_builder_end(out);
    return true;
}
