/*
 * Most of this file builds a new spec.bindings from the old one and a binding_change. JSON values
 * that do not change are copied as they are, so that fields of newer versions of Cluster API
 * survive.
 *
 * A set may name a resource more than once. Then the change contains the resource repeatedly, the
 * binding records it once, and the last result counts: find_change(), is_new() and last_of() see to
 * that.
 */
#include "clusterresourceset/types/binding.h"

#include "apimachinery/object_edit.h"
#include "clusterresourceset/types/delivery.h"
#include "json/builder.h"
#include "json/path.h"

struct error *binding_new(struct key cluster, struct owner_reference owner,
                          struct object **ret_binding)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR(CRS_API_VERSION));
    json_builder_add_str(&builder, "kind", STR("ClusterResourceSetBinding"));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "namespace", cluster.namespace);
    json_builder_add_str(&builder, "name", cluster.name);
    json_builder_add_array(&builder, "ownerReferences");
    owner_reference_build(owner, &builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_add_object(&builder, "spec");
    json_builder_add_str(&builder, "clusterName", cluster.name);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return object_from_doc(doc, ret_binding);
}

static const struct json_value *entries_of(const struct object *binding)
{
    return binding ? object_path(binding, "spec.bindings") : NULL;
}

static bool is_of_set(const struct json_value *entry, struct str set)
{
    return str_eq(json_path_str(entry, "clusterResourceSetName"), set);
}

/* The first entry of the set counts; there should be one. */
static const struct json_value *find_entry(const struct object *binding, struct str set)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, entries_of(binding))
        if (is_of_set(entry, set))
            return entry;
    return NULL;
}

bool binding_has_entry(const struct object *binding, struct str set)
{
    return find_entry(binding, set) != NULL;
}

/* A resource is identified by kind and name; it is in the namespace of the binding. */
static bool is_ref(const struct json_value *resource, struct resource_ref ref)
{
    return str_eq(json_path_str(resource, "name"), ref.name) &&
           str_eq(json_path_str(resource, "kind"), resource_kind_name(ref.kind));
}

bool binding_find_resource(const struct object *binding, struct str set, struct resource_ref ref,
                           struct binding_resource *ret_resource)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(find_entry(binding, set), STR("resources"))) {
        if (!is_ref(item, ref))
            continue;
        *ret_resource = (struct binding_resource){
            .ref = ref,
            .hash = json_path_str(item, "hash"),
            .last_applied_time = json_path_str(item, "lastAppliedTime"),
        };
        json_to_bool(json_get(item, STR("applied")), &ret_resource->applied);
        return true;
    }
    return false;
}

bool binding_has_begun(const struct object *binding, struct str set)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(find_entry(binding, set), STR("resources"))) {
        bool applied = false;
        json_to_bool(json_get(item, STR("applied")), &applied);
        if (applied || json_path_str(item, "hash").len)
            return true;
    }
    return false;
}

size_t binding_entry_count(const struct object *binding)
{
    return json_count(entries_of(binding));
}

bool binding_has_room(const struct object *binding, struct str set)
{
    return !binding || binding_has_entry(binding, set) ||
           binding_entry_count(binding) < BINDING_ENTRIES_MAX;
}

bool binding_is_owned(const struct object *binding, struct owner_reference owner)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, object_owner_references(binding))
        if (owner_reference_eq(owner_reference_from_value(item), owner))
            return true;
    return false;
}

/* A failed resource is tried again by both strategies, whatever its hash. */
bool binding_needs(enum resource_strategy strategy, const struct binding_resource *found,
                   struct str hash)
{
    if (!found || !found->applied)
        return true;
    return strategy == RESOURCE_RECONCILE && !str_eq(found->hash, hash);
}

/* Members of a record that build_resource() writes itself. */
static bool is_known_member(struct str key)
{
    static const struct str known[] = {STR_INIT("name"), STR_INIT("kind"), STR_INIT("hash"),
                                       STR_INIT("lastAppliedTime"), STR_INIT("applied")};
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(key, known[i]))
            return true;
    return false;
}

/* before: the old record, whose unknown members stay; NULL: there was none. */
static void build_resource(struct json_builder *builder, const struct binding_resource *resource,
                           const struct json_value *before)
{
    const struct json_value *member;
    json_builder_object(builder);
    json_builder_add_str(builder, "name", resource->ref.name);
    json_builder_add_str(builder, "kind", resource_kind_name(resource->ref.kind));
    if (resource->hash.len)
        json_builder_add_str(builder, "hash", resource->hash);
    if (resource->last_applied_time.len)
        json_builder_add_str(builder, "lastAppliedTime", resource->last_applied_time);
    json_builder_add_bool(builder, "applied", resource->applied);
    JSON_FOREACH (key, member, before) {
        if (is_known_member(key))
            continue;
        json_builder_key(builder, key);
        json_builder_value(builder, member);
    }
    json_builder_end(builder);
}

static const struct binding_resource *find_change(const struct binding_change *change,
                                                  const struct json_value *item)
{
    const struct binding_resource *last = NULL;
    for (size_t i = 0; i < change->count; i++)
        if (is_ref(item, change->resources[i].ref))
            last = &change->resources[i];
    return last;
}

static bool is_named(const struct binding_change *change, const struct json_value *item)
{
    for (size_t i = 0; i < change->named_count; i++)
        if (is_ref(item, change->named[i]))
            return true;
    return false;
}

static bool has_resource(const struct json_value *list, struct resource_ref ref)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, list)
        if (is_ref(item, ref))
            return true;
    return false;
}

/* True for a resource without a record, at its first occurrence in the change. */
static bool is_new(const struct binding_change *change, const struct json_value *list, size_t index)
{
    const struct resource_ref ref = change->resources[index].ref;
    if (has_resource(list, ref))
        return false;
    for (size_t i = 0; i < index; i++)
        if (change->resources[i].ref.kind == ref.kind &&
            str_eq(change->resources[i].ref.name, ref.name))
            return false;
    return true;
}

/* The last occurrence of the same resource in the change. */
static const struct binding_resource *last_of(const struct binding_change *change, size_t index)
{
    const struct binding_resource *last = &change->resources[index];
    for (size_t i = index + 1; i < change->count; i++)
        if (change->resources[i].ref.kind == last->ref.kind &&
            str_eq(change->resources[i].ref.name, last->ref.name))
            last = &change->resources[i];
    return last;
}

/* How many records of resources that are no longer named must go. The list is in order of age. */
static size_t count_surplus(const struct binding_change *change, const struct json_value *list)
{
    size_t total = json_count(list);
    for (size_t i = 0; i < change->count; i++)
        total += is_new(change, list, i);
    return total > BINDING_RESOURCES_MAX ? total - BINDING_RESOURCES_MAX : 0;
}

/*
 * A named resource is never removed. The schema allows a set as many resources as a list, so that
 * the list fits after the removal of the others.
 */
static void build_resources(struct json_builder *builder, const struct binding_change *change,
                            const struct json_value *list)
{
    size_t surplus = count_surplus(change, list);
    const struct json_value *item;
    JSON_FOREACH (key, item, list) {
        const struct binding_resource *changed = find_change(change, item);
        if (changed) {
            build_resource(builder, changed, item);
        } else if (surplus && !is_named(change, item)) {
            surplus--;
        } else {
            json_builder_value(builder, item);
        }
    }
    for (size_t i = 0; i < change->count; i++)
        if (is_new(change, list, i))
            build_resource(builder, last_of(change, i), NULL);
}

/* entry is the old one; NULL: there was none. An empty list of resources is left out. */
static void build_entry(struct json_builder *builder, const struct binding_change *change,
                        const struct json_value *entry)
{
    const struct json_value *list = json_get(entry, STR("resources"));
    const struct json_value *member;
    json_builder_object(builder);
    json_builder_add_str(builder, "clusterResourceSetName", change->owner.name);
    JSON_FOREACH (key, member, entry) {
        if (str_eq(key, STR("clusterResourceSetName")) || str_eq(key, STR("resources")))
            continue;
        json_builder_key(builder, key);
        json_builder_value(builder, member);
    }
    if (json_count(list) || change->count) {
        json_builder_add_array(builder, "resources");
        build_resources(builder, change, list);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static struct error *build_entries(const struct object *binding,
                                   const struct binding_change *change, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *entry;
    bool found = false;
    json_builder_array(&builder);
    JSON_FOREACH (key, entry, entries_of(binding)) {
        if (!found && is_of_set(entry, change->owner.name)) {
            build_entry(&builder, change, entry);
            found = true;
        } else {
            json_builder_value(&builder, entry);
        }
    }
    if (!found)
        build_entry(&builder, change, NULL);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* True if the binding has the owner, the entry and all records of the change. */
static bool says_all(const struct object *binding, const struct binding_change *change)
{
    if (!binding_has_entry(binding, change->owner.name) ||
        !binding_is_owned(binding, change->owner))
        return false;
    for (size_t i = 0; i < change->count; i++) {
        const struct binding_resource *wanted = last_of(change, i);
        struct binding_resource found;
        if (!binding_find_resource(binding, change->owner.name, wanted->ref, &found) ||
            found.applied != wanted->applied || !str_eq(found.hash, wanted->hash) ||
            !str_eq(found.last_applied_time, wanted->last_applied_time))
            return false;
    }
    return true;
}

#define DELIVERY_PLACE JSON_PLACE_KEY("metadata.annotations", STR(DELIVERY_ANNOTATION))

/* text is the new value; empty: the annotation goes. */
static void edit_delivery(struct object_edit *edit, struct str text)
{
    if (text.len)
        json_edit_set_str(&edit->json, DELIVERY_PLACE, text);
    else
        json_edit_remove(&edit->json, DELIVERY_PLACE);
}

/* True if the annotation has this value; an empty text and none are the same. */
static bool says_delivery(const struct object *binding, struct str text)
{
    struct str found = {0};
    object_find_annotation(binding, STR(DELIVERY_ANNOTATION), &found);
    return str_eq(found, text);
}

struct error *binding_record(struct object *binding, const struct binding_change *change,
                             struct object **ret_binding)
{
    SCOPED(object_edit) edit = {0};
    OWNED(json_doc) entries = NULL;
    SCOPED(buf) delivery = {.limit = 0};
    if (change->outcome)
        delivery_write(binding, change->owner.name, change->outcome, &delivery);
    if (says_all(binding, change) &&
        (!change->outcome || says_delivery(binding, buf_str(&delivery)))) {
        *ret_binding = object_ref(binding);
        return NULL;
    }
    TRY(build_entries(binding, change, &entries));
    object_edit_init(&edit, binding);
    object_edit_set_owner(&edit, change->owner);
    json_edit_set(&edit.json, JSON_PLACE("spec.bindings"), json_doc_root(entries));
    if (change->cluster_uid.len)
        json_edit_set_str(&edit.json,
                          JSON_PLACE_KEY("metadata.annotations", STR(BINDING_CLUSTER_UID)),
                          change->cluster_uid);
    if (change->outcome)
        edit_delivery(&edit, buf_str(&delivery));
    return object_edit_finish(&edit, ret_binding);
}

struct error *binding_record_prune(struct object *binding, struct str set,
                                   const struct delivery_prune *prune,
                                   const struct delivery_kinds *gone, struct str now,
                                   struct object **ret_binding)
{
    SCOPED(object_edit) edit = {0};
    SCOPED(buf) delivery = {.limit = 0};
    delivery_write_prune(binding, set, prune, *gone, now, &delivery);
    if (says_delivery(binding, buf_str(&delivery))) {
        *ret_binding = object_ref(binding);
        return NULL;
    }
    object_edit_init(&edit, binding);
    edit_delivery(&edit, buf_str(&delivery));
    return object_edit_finish(&edit, ret_binding);
}

bool binding_is_of_other_cluster(const struct object *binding, struct str cluster_uid)
{
    struct str recorded;
    return binding && cluster_uid.len &&
           object_find_annotation(binding, STR(BINDING_CLUSTER_UID), &recorded) && recorded.len &&
           !str_eq(recorded, cluster_uid);
}

struct error *binding_void(const struct object *binding, struct str cluster_uid,
                           struct object **ret_binding)
{
    SCOPED(object_edit) edit = {0};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) none = NULL;
    json_builder_array(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &none));
    object_edit_init(&edit, binding);
    json_edit_set(&edit.json, JSON_PLACE("spec.bindings"), json_doc_root(none));
    json_edit_set_str(&edit.json, JSON_PLACE_KEY("metadata.annotations", STR(BINDING_CLUSTER_UID)),
                      cluster_uid);
    edit_delivery(&edit, STR(""));
    return object_edit_finish(&edit, ret_binding);
}

/* The entries of the other sets. */
static struct error *build_others(const struct object *binding, struct str set,
                                  struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *entry;
    json_builder_array(&builder);
    JSON_FOREACH (key, entry, entries_of(binding))
        if (!is_of_set(entry, set))
            json_builder_value(&builder, entry);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* A set may have an owner reference and no entry, if it was interrupted: then only that goes. */
struct error *binding_forget(struct object *binding, struct owner_reference owner,
                             struct object **ret_binding)
{
    SCOPED(object_edit) edit = {0};
    OWNED(json_doc) others = NULL;
    SCOPED(buf) delivery = {.limit = 0};
    if (!binding_mentions(binding, owner)) {
        *ret_binding = object_ref(binding);
        return NULL;
    }
    TRY(build_others(binding, owner.name, &others));
    object_edit_init(&edit, binding);
    object_edit_remove_owner(&edit, owner);
    if (binding_has_entry(binding, owner.name)) { /* an empty list is left out */
        json_edit_remove(&edit.json, JSON_PLACE("spec.bindings"));
        json_edit_set_unless_empty(&edit.json, JSON_PLACE("spec.bindings"), json_doc_root(others));
    }
    delivery_write(binding, owner.name, NULL, &delivery);
    edit_delivery(&edit, buf_str(&delivery));
    return object_edit_finish(&edit, ret_binding);
}

bool binding_is_empty(const struct object *binding)
{
    return json_count(entries_of(binding)) == 0;
}

/* An owner reference of another UID is that of a deleted set of the same name: it goes as well. */
bool binding_mentions(const struct object *binding, struct owner_reference owner)
{
    const struct json_value *item;
    if (binding_has_entry(binding, owner.name))
        return true;
    JSON_FOREACH (key, item, object_owner_references(binding))
        if (owner_reference_same_owner(owner_reference_from_value(item), owner))
            return true;
    return false;
}
