/*
 * why_object_show() finds the manifest by the name that was given, asks the cluster by a GET and a
 * dry run (preview_fleet_ask_object()), and writes what came of it.
 */
#include "cmd/why_object.h"

#include <assert.h>

#include "apiserver/registry/kind_age.h"
#include "clusterresourceset/apply/apply_redaction.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ownership_walk.h"
#include "clusterresourceset/preview/preview_values.h"
#include "cmd/plan_render.h"
#include "cmd/terminal.h"
#include "json/path.h"

#define NAMES_SHOWN ((size_t)5)

/* An object of the set and where its manifest stands. */
struct candidate {
    struct preview_subject subject;
    struct resource_ref ref;
    const struct apply_item *item;
};

static struct str candidate_namespace(const struct candidate *candidate)
{
    const struct str namespace = object_namespace(candidate->item->object);
    return namespace.len ? namespace : candidate->item->default_namespace;
}

/* "apps/v1 Deployment default/web", as everywhere. */
static void write_name(const struct candidate *candidate, struct buf *out)
{
    const struct object *object = candidate->item->object;
    const struct str namespace = candidate_namespace(candidate);
    buf_print(out, "%.*s %.*s %.*s%s%.*s", STR_ARG(object_api_version(object)),
              STR_ARG(object_kind(object)), STR_ARG(namespace), namespace.len ? "/" : "",
              STR_ARG(object_name(object)));
}

static bool is_named(const struct candidate *candidate, struct str name)
{
    const struct object *object = candidate->item->object;
    const struct str namespace = candidate_namespace(candidate), kind = object_kind(object);
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "%.*s/%.*s", STR_ARG(kind), STR_ARG(object_name(object)));
    if (str_eq_nocase(buf_str(&text), name))
        return true;
    buf_clear(&text);
    buf_print(&text, "%.*s/%.*s/%.*s", STR_ARG(kind), STR_ARG(namespace),
              STR_ARG(object_name(object)));
    if (str_eq_nocase(buf_str(&text), name))
        return true;
    buf_clear(&text);
    write_name(candidate, &text);
    return str_eq_nocase(buf_str(&text), name);
}

/* The names of objects, each once, the first few in words. */
struct name_list {
    struct map names;
    struct buf text;
};

static void name_list_done(struct name_list *list)
{
    map_done(&list->names);
    buf_done(&list->text);
}

static void list_name(struct name_list *list, const struct candidate *candidate)
{
    SCOPED(buf) name = {.limit = 0};
    write_name(candidate, &name);
    if (map_has(&list->names, buf_str(&name)))
        return;
    map_put(&list->names, buf_str(&name), list);
    if (map_count(&list->names) <= NAMES_SHOWN)
        buf_print(&list->text, "%s%s", list->text.len ? ", " : "", buf_c(&name));
    else if (map_count(&list->names) == NAMES_SHOWN + 1)
        buf_add(&list->text, STR(", …"));
}

/*
 * Looks through all objects of a set. An object that stands there twice is taken where it stands
 * last, as it is applied.
 */
static struct error *find_candidate(const struct preview_set *set, struct str name,
                                    struct arena *arena, struct candidate *ret_found)
{
    SCOPED(name_list) all = {0};
    SCOPED(name_list) named = {0};
    struct candidate found = {0};
    for (size_t i = 0; i < plan_resource_count(set->plan); i++) {
        const struct content *content = resource_snapshot_content(plan_snapshot(set->plan, i));
        const struct apply_item *items = content ? apply_items_read(content, arena) : NULL;
        for (size_t j = 0; content && j < content_count(content); j++) {
            const struct candidate candidate = {
                {set, i, j},
                plan_resource(set->plan, i), &items[j]
            };
            list_name(&all, &candidate);
            if (!is_named(&candidate, name))
                continue;
            list_name(&named, &candidate);
            found = candidate;
        }
    }
    if (map_count(&named.names) > 1)
        return error_new(ERROR_INVALID,
                         "'%.*s' names several objects of set %.*s: %s; give one of these, in "
                         "quotes",
                         STR_ARG(name), STR_ARG(set->key.name), buf_c(&named.text));
    if (!found.item)
        return error_new(ERROR_NOT_FOUND,
                         "there is no object '%.*s' in set %.*s, give KIND/NAMESPACE/NAME; it has "
                         "%s",
                         STR_ARG(name), STR_ARG(set->key.name),
                         all.text.len ? buf_c(&all.text) : "no objects");
    *ret_found = found;
    return NULL;
}

static void write_headline(const struct candidate *candidate, struct buf *out)
{
    SCOPED(buf) text = {.limit = 0};
    write_name(candidate, &text);
    buf_print(&text, " (%.*s %.*s, key %.*s, document %zu)",
              STR_ARG(resource_kind_name(candidate->ref.kind)), STR_ARG(candidate->ref.name),
              STR_ARG(candidate->item->key), candidate->item->document);
    terminal_add_shown(out, buf_str(&text));
    buf_add_char(out, '\n');
}

/* One entry of managedFields: who, by which kind of request, since when, and which fields. */
static void write_entry(const struct json_value *entry, struct str ours, bool is_secret,
                        timestamp now, struct buf *out)
{
    char age[KIND_AGE_MAX];
    const struct str manager = json_path_str(entry, "manager"),
                     subresource = json_path_str(entry, "subresource");
    const bool is_apply = str_eq(json_path_str(entry, "operation"), STR("Apply"));
    SCOPED(buf) text = {.limit = 0};
    timestamp time;
    buf_print(&text, "fields of %.*s%s, %s", STR_ARG(manager),
              is_apply && str_eq(manager, ours) ? ", this set" : "",
              is_apply ? "applied" : "updated");
    if (subresource.len)
        buf_print(&text, " by the subresource %.*s", STR_ARG(subresource));
    if (timestamp_read(json_path_str(entry, "time"), &time) && time <= now)
        buf_print(&text, " %.*s ago", STR_ARG(kind_age_write(kind_age_between(time, now), age)));
    buf_add(out, STR("  "));
    terminal_add_shown(out, buf_str(&text));
    buf_add(out, STR(":\n    "));
    buf_clear(&text);
    ownership_walk_write_all(json_get(entry, STR("fieldsV1")), is_secret, &text);
    terminal_add_shown(out, buf_str(&text));
    buf_add_char(out, '\n');
}

static void write_owners(const struct object *live, struct str ours, bool is_secret, timestamp now,
                         struct buf *out)
{
    const struct json_value *entry,
        *entries = json_get(object_metadata(live), STR("managedFields"));
    if (!json_count(entries))
        buf_add(out, STR("  nobody owns fields of it, as far as the cluster knows\n"));
    JSON_FOREACH (key, entry, entries)
        write_entry(entry, ours, is_secret, now, out);
}

static void write_changes(const struct preview_fleet *fleet, const struct preview_result *result,
                          struct buf *out)
{
    SCOPED(plan_render) render = {.secrets = fleet->secrets};
    if (!result->count) {
        buf_add(out, STR("  it is as its manifest says\n"));
        return;
    }
    buf_add(out, STR("  applying the manifest now would change:\n"));
    for (size_t i = 0; i < result->count; i++)
        plan_render_object(&render, &result->objects[i], out);
}

/* An object that is not there: why it could not be made, or that it would be. */
static void write_absence(const struct preview_fleet *fleet, const struct preview_result *result,
                          struct buf *out)
{
    SCOPED(plan_render) render = {.secrets = fleet->secrets};
    buf_add(out, STR("  the cluster does not have it\n"));
    for (size_t i = 0; i < result->count; i++)
        if (result->objects[i].text.len)
            plan_render_object(&render, &result->objects[i], out);
}

struct error *why_object_show(const struct preview_fleet *fleet,
                              const struct preview_fleet_cluster *cluster, struct str name,
                              timestamp now, bool *ret_is_same, struct buf *out)
{
    SCOPED(arena) arena = {0};
    const struct preview_set *set = preview_values_fill(fleet->sets, cluster->object, &arena);
    OWNED(preview_result) result = preview_result_new();
    OWNED(object) live = NULL;
    struct candidate found = {0};
    if (set->problem.len)
        return error_new(ERROR_INVALID, "no object of set %.*s is applied: %.*s",
                         STR_ARG(set->key.name), STR_ARG(set->problem));
    TRY(find_candidate(set, name, &arena, &found));
    assert(found.item);
    TRY(preview_fleet_ask_object(fleet, cluster, &found.subject, result, &live),
        "cluster %.*s could not be asked", STR_ARG(object_name(cluster->object)));
    const bool is_secret = found.item->is_secret || apply_redaction_is_secret(found.item->object);
    write_headline(&found, out);
    if (live) {
        write_owners(live, field_manager_of_set(&arena, set->key), is_secret, now, out);
        write_changes(fleet, result, out);
    } else {
        write_absence(fleet, result, out);
    }
    *ret_is_same = live && !result->count;
    return buf_check(out);
}
