/*
 * prune_run_look() finds the resource of each kind of the record, in any version that is served,
 * and lists each of them once. prune_run_delete() gives up what other sets have as well, then goes
 * through delete_kind() from the kind that was applied last to the one that was applied first.
 */
#include "clusterresourceset/prune_run.h"

#include <stdlib.h>

#include "async/fiber.h"
#include "base/array.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/types/content_items.h"
#include "json/path.h"

#define NAMES_SHOWN 5
#define PAGE        500
#define TURN        64 /* objects that are judged before others have their turn */

/* One kind of the record. Several versions of it are one. */
struct prune_kind {
    struct str group, kind;
    size_t index; /* in the record */
    struct discovery_mapping mapping;
    bool is_served;
    size_t ours;  /* objects that are there and the set's, wanted or not */
    size_t shown; /* objects that were listed, whosever they are */
};

void prune_run_done(struct prune_run *run)
{
    map_done(&run->kinds_by_group);
    buf_done(&run->kept_names);
    buf_done(&run->deleted_names);
    buf_done(&run->left_names);
}

struct str prune_object_api_version(const struct prune_object *object, struct arena *arena)
{
    return gvk_api_version(arena, object->kind->mapping.gvk);
}

struct str prune_object_kind(const struct prune_object *object, struct arena *arena)
{
    return arena_str(arena, object->kind->mapping.gvk.kind);
}

/* "v1 ConfigMap default/a" */
static void write_object(const struct prune_object *object, struct arena *arena, struct buf *out)
{
    const struct gvk gvk = object->kind->mapping.gvk;
    const struct str version = gvk_api_version(arena, gvk);
    buf_print(out, "%.*s %.*s %.*s%s%.*s", STR_ARG(version), STR_ARG(gvk.kind),
              STR_ARG(object->key.namespace), object->key.namespace.len ? "/" : "",
              STR_ARG(object->key.name));
}

/* Adds one to a list of names that shows the first of them; count is how many there are now. */
static void add_name(const struct prune_run *run, const struct prune_object *object, size_t count,
                     struct buf *out)
{
    if (count > NAMES_SHOWN)
        return;
    buf_add(out, count > 1 ? STR(", ") : STR(""));
    write_object(object, run->arena, out);
}

void prune_run_write_doomed(const struct prune_run *run, struct buf *out)
{
    for (size_t i = 0; i < run->doomed.count; i++)
        add_name(run, &run->doomed.items[i], i + 1, out);
    if (run->doomed.count > NAMES_SHOWN)
        buf_print(out, " and %zu more", run->doomed.count - NAMES_SHOWN);
}

/* "group/kind ns/name" */
static void write_id(const struct prune_kind *kind, struct key key, struct buf *out)
{
    buf_print(out, "%.*s/%.*s %.*s/%.*s", STR_ARG(kind->group), STR_ARG(kind->kind),
              STR_ARG(key.namespace), STR_ARG(key.name));
}

static bool is_wanted(const struct prune_run *run, struct key key)
{
    SCOPED(buf) id = {.limit = 0};
    if (!run->wanted)
        return false;
    write_id(run->listed, key, &id);
    return map_has(run->wanted, buf_str(&id));
}

/* "a.example/x, b.example/y" */
static struct str write_finalizers(const struct object *live, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *finalizer;
    JSON_FOREACH (key, finalizer, object_finalizers(live)) {
        const struct str name = json_to_str(finalizer);
        buf_print(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(name));
    }
    return arena_str(arena, buf_str(&text));
}

static struct prune_object describe_object(const struct prune_run *run, const struct object *live)
{
    return (struct prune_object){
        .kind = run->listed,
        .key = key_copy(run->arena, object_key(live)),
        .uid = arena_str(run->arena, object_uid(live)),
        .version = arena_str(run->arena, object_resource_version(live)),
        .finalizers = write_finalizers(live, run->arena),
        .is_deleting = object_is_deleting(live),
    };
}

static void add_object(const struct prune_run *run, struct prune_objects *objects,
                       struct prune_object object)
{
    ARENA_ARRAY_PUSH(run->arena, objects->items, objects->count, objects->capacity, object);
}

static struct error *note_listed(void *data, struct object *live)
{
    struct prune_run *run = data;
    struct prune_kind *kind = run->listed;
    const enum prune_verdict verdict = prune_judge(live, kind->group, kind->kind, run->manager,
                                                   is_wanted(run, object_key(live)), run->policy);
    kind->shown++;
    if (verdict != PRUNE_FOREIGN)
        kind->ours++;
    const struct prune_object object = describe_object(run, live);
    if (verdict == PRUNE_DOOMED)
        add_object(run, &run->doomed, object);
    else if (verdict == PRUNE_SHARED)
        add_object(run, &run->shared, object);
    else if (verdict == PRUNE_KEPT)
        add_name(run, &object, ++run->kept, &run->kept_names);
    return kind->shown % TURN ? NULL : fiber_yield();
}

/* The list begins anew; that is rare, and what was kept is counted by then. */
static void refuse_restart(void *data)
{
    struct prune_run *run = data;
    run->must_look_again = true;
}

/* The resource of a kind, in its version or in another one. */
static struct error *find_resource(struct prune_run *run, struct gvk gvk, struct prune_kind *kind)
{
    struct error *err = discovery_find_kind(run->discovery, run->arena, gvk, &kind->mapping);
    if (discovery_is_no_match(err)) {
        error_free(err);
        err = discovery_find_group_kind(run->discovery, run->arena, gvk.group, gvk.kind,
                                        &kind->mapping);
    }
    kind->is_served = !err;
    if (!discovery_is_no_match(err))
        return err;
    error_free(err);
    return NULL;
}

/* "v1/ConfigMap", "apps/v1/DaemonSet": false for what is no kind. */
static bool read_kind(struct str text, struct gvk *ret_gvk)
{
    size_t slash = text.len;
    while (slash && text.ptr[slash - 1] != '/')
        slash--;
    if (slash < 2 || slash == text.len)
        return false;
    OWNED(error)
    err = gvk_from_api_version(str_slice(text, 0, slash - 1), str_skip(text, slash), ret_gvk);
    return !err;
}

static struct error *add_kind(struct prune_run *run, size_t index)
{
    struct gvk gvk;
    if (!read_kind(run->kinds.items[index], &gvk))
        return NULL;
    const struct str id =
        arena_print(run->arena, "%.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind));
    if (map_has(&run->kinds_by_group, id))
        return NULL;
    struct prune_kind *kind = ARENA_NEW(run->arena, struct prune_kind);
    *kind = (struct prune_kind){.group = gvk.group, .kind = gvk.kind, .index = index};
    map_put(&run->kinds_by_group, id, kind);
    return find_resource(run, gvk, kind);
}

/* After a 404 the kind has to be looked up anew. */
static struct error *list_kind(struct prune_run *run, struct prune_kind *kind)
{
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {
        .label_selector = STR(APPLY_MANAGED_LABEL), .limit = PAGE, .form = CLIENT_METADATA};
    const struct client_list_sink sink = {note_listed, refuse_restart, run};
    run->listed = kind;
    struct error *err =
        client_list_each(run->client, kind->mapping.gvr, STR(""), &options, &sink, &version);
    if (error_is(err, ERROR_NOT_FOUND))
        discovery_forget(run->discovery, kind->mapping.gvk.group, kind->mapping.gvk.version);
    if (!err && run->must_look_again)
        err = error_new(ERROR_CONFLICT, "the list expired while it was read");
    return error_wrap(err, "list objects of kind %.*s", STR_ARG(kind->kind));
}

/* What was applied last comes first; of one kind what the list has last. */
static int compare_objects(const void *a, const void *b)
{
    const struct prune_object *x = a, *y = b;
    const size_t rank_x = content_items_rank(x->kind->kind);
    const size_t rank_y = content_items_rank(y->kind->kind);
    if (rank_x != rank_y)
        return rank_x > rank_y ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind->index > y->kind->index ? -1 : 1;
    const int by_namespace = str_cmp(y->key.namespace, x->key.namespace);
    return by_namespace ? by_namespace : str_cmp(y->key.name, x->key.name);
}

struct error *prune_run_look(struct prune_run *run)
{
    for (size_t i = 0; i < run->kinds.count; i++)
        TRY(add_kind(run, i), "find kind %.*s", STR_ARG(run->kinds.items[i]));
    MAP_FOREACH (entry, &run->kinds_by_group) {
        struct prune_kind *kind = entry->value;
        if (kind->is_served)
            TRY(list_kind(run, kind));
    }
    if (run->doomed.count)
        qsort(run->doomed.items, run->doomed.count, sizeof(*run->doomed.items), compare_objects);
    if (run->kept > NAMES_SHOWN)
        buf_print(&run->kept_names, " and %zu more", run->kept - NAMES_SHOWN);
    return NULL;
}

static struct error *check_going(const struct prune_run *run)
{
    return run->may_go_on(run->data) ? NULL
                                     : error_new(ERROR_CANCELED, "something else is wanted now");
}

static void note_gone(struct prune_run *run, const struct prune_object *object)
{
    object->kind->ours--;
    add_name(run, object, ++run->deleted, &run->deleted_names);
    run->note_deleted(run->data, object->kind->kind);
}

/* What has changed since it was listed is looked at again. */
static struct error *note_changed(struct prune_run *run, struct error *err)
{
    run->must_look_again |= error_is(err, ERROR_CONFLICT);
    return error_ignore(err, ERROR_CONFLICT);
}

static struct error *explain_object(const struct prune_run *run, const struct prune_object *object,
                                    const char *verb, struct error *err)
{
    SCOPED(buf) name = {.limit = 0};
    if (!err)
        return NULL;
    write_object(object, run->arena, &name);
    return error_wrap(err, "%s %s", verb, buf_c(&name));
}

/* Suspends. */
static struct error *delete_object(struct prune_run *run, const struct prune_object *object)
{
    const struct client_delete_options options = {
        .uid = object->uid,
        .resource_version = object->version,
        .propagation_policy = STR("Background"),
    };
    if (object->is_deleting)
        return NULL;
    TRY(check_going(run));
    struct error *err =
        client_delete(run->client, object->kind->mapping.gvr, object->key, &options, NULL);
    err = note_changed(run, error_ignore(err, ERROR_NOT_FOUND));
    return explain_object(run, object, "delete", err);
}

/* An object of another uid is none that was deleted here. Suspends. */
static struct error *confirm_gone(struct prune_run *run, const struct prune_object *object)
{
    const struct client_get_options options = {.form = CLIENT_METADATA};
    OWNED(object) live = NULL;
    struct error *err =
        client_get(run->client, object->kind->mapping.gvr, object->key, &options, &live);
    TRY(explain_object(run, object, "read", error_ignore(err, ERROR_NOT_FOUND)));
    if (!live || !str_eq(object_uid(live), object->uid)) {
        note_gone(run, object);
        return NULL;
    }
    if (!object_is_deleting(live)) {
        run->must_look_again = true;
        return NULL;
    }
    const struct str finalizers = write_finalizers(live, run->arena);
    add_name(run, object, ++run->left, &run->left_names);
    if (run->left <= NAMES_SHOWN && finalizers.len)
        buf_print(&run->left_names, " (%.*s)", STR_ARG(finalizers));
    return NULL;
}

/* Deletes the objects of one kind, from index `from` on; *ret_end is the first of the next kind. */
static struct error *delete_kind(struct prune_run *run, size_t from, size_t *ret_end)
{
    const struct prune_object *objects = run->doomed.items;
    size_t end = from;
    while (end < run->doomed.count && objects[end].kind == objects[from].kind)
        end++;
    for (size_t i = from; i < end; i++)
        TRY(delete_object(run, &objects[i]));
    for (size_t i = from; i < end; i++)
        TRY(confirm_gone(run, &objects[i]));
    *ret_end = end;
    return NULL;
}

/* The object with nothing but its name, as it was seen: it is not made anew if it is gone. */
static struct error *make_bare(const struct prune_run *run, const struct prune_object *object,
                               struct object **ret_object)
{
    SCOPED(buf) text = {.limit = 0};
    const struct gvk gvk = object->kind->mapping.gvk;
    buf_add(&text, STR("{\"apiVersion\":"));
    buf_add_json_string(&text, gvk_api_version(run->arena, gvk));
    buf_add(&text, STR(",\"kind\":"));
    buf_add_json_string(&text, gvk.kind);
    buf_add(&text, STR(",\"metadata\":{\"name\":"));
    buf_add_json_string(&text, object->key.name);
    if (object->key.namespace.len) {
        buf_add(&text, STR(",\"namespace\":"));
        buf_add_json_string(&text, object->key.namespace);
    }
    buf_add(&text, STR(",\"uid\":"));
    buf_add_json_string(&text, object->uid);
    buf_add(&text, STR(",\"resourceVersion\":"));
    buf_add_json_string(&text, object->version);
    buf_add(&text, STR("}}"));
    return object_read(buf_str(&text), ret_object);
}

/* Suspends. */
static struct error *give_up(struct prune_run *run, const struct prune_object *object)
{
    const struct client_write_options options = {.field_manager = run->manager};
    OWNED(object) bare = NULL;
    TRY(check_going(run));
    TRY(make_bare(run, object, &bare));
    struct error *err = client_apply(run->client, object->kind->mapping.gvr, bare, &options, NULL);
    err = note_changed(run, error_ignore(err, ERROR_NOT_FOUND));
    if (!err && !run->must_look_again) {
        object->kind->ours--;
        run->given_up++;
    }
    return explain_object(run, object, "give up fields of", err);
}

struct error *prune_run_delete(struct prune_run *run)
{
    for (size_t i = 0; i < run->shared.count; i++)
        TRY(give_up(run, &run->shared.items[i]));
    for (size_t i = 0; i < run->doomed.count;) {
        TRY(delete_kind(run, i, &i));
        if (run->must_look_again || (run->left && !run->is_overdue))
            return NULL;
    }
    return NULL;
}

static bool is_kind_gone(const struct prune_run *run, struct str text,
                         const struct prune_kind **ret_kind)
{
    struct gvk gvk;
    SCOPED(buf) id = {.limit = 0};
    *ret_kind = NULL;
    if (!read_kind(text, &gvk))
        return true;
    buf_print(&id, "%.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind));
    *ret_kind = map_find(&run->kinds_by_group, buf_str(&id));
    return *ret_kind && !(*ret_kind)->ours && !(run->wanted && map_has(run->wanted, buf_str(&id)));
}

struct delivery_kinds prune_run_gone_kinds(const struct prune_run *run)
{
    const struct prune_kind *kind;
    struct delivery_kinds gone = {
        .items = arena_alloc_array(run->arena, run->kinds.count + 1, sizeof(*gone.items))};
    for (size_t i = 0; i < run->kinds.count; i++)
        if (is_kind_gone(run, run->kinds.items[i], &kind))
            gone.items[gone.count++] = run->kinds.items[i];
    return gone;
}

struct str prune_run_unserved_kinds(const struct prune_run *run)
{
    SCOPED(buf) text = {.limit = 0};
    const struct prune_kind *kind;
    for (size_t i = 0; i < run->kinds.count; i++)
        if (is_kind_gone(run, run->kinds.items[i], &kind) && kind && !kind->is_served)
            buf_print(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(run->kinds.items[i]));
    return arena_str(run->arena, buf_str(&text));
}
