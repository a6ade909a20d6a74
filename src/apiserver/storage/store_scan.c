/*
 * Visits objects in order, as they are or as they were at an older revision.
 *
 * An older state is the current tree with the changes after the revision undone. The undone objects
 * are put into a second tree (past) that has the same order, with NULL for objects that did not
 * exist. A walk merges both trees: where they have the same key, past wins.
 */
#include "apiserver/storage/store_internal.h"

/* The next node in each of the two trees; NULL at their ends. */
struct walk {
    struct str prefix; /* all keys of the namespace begin with it */
    struct tree_node *now, *past;
};

/*
 * Goes through the changes after a revision from the newest to the oldest, so that the last value
 * put for a key is the object before the first of these changes.
 */
static void undo_events(const struct store_events *events, int64_t revision, struct tree *past)
{
    SCOPED(buf) key = {0};
    for (size_t i = events->count, end = store_events_after(events, revision); i > end; i--) {
        const struct store_event *event = &store_events_at(events, i - 1)->event;
        buf_clear(&key);
        store_key(&key, object_text_key(event->text));
        tree_put(past, buf_str(&key), event->previous);
    }
}

/* NULL when the node lies behind the keys with this prefix. */
static struct tree_node *clip_range(struct tree_node *node, struct str prefix)
{
    return node && str_starts_with(tree_key(node), prefix) ? node : NULL;
}

/* The first node behind range->after that has the prefix. */
static struct tree_node *begin_walk(const struct tree *tree, const struct store_range *range,
                                    struct str prefix)
{
    if (str_is_empty(range->after.name))
        return clip_range(tree_seek(tree, prefix), prefix);
    SCOPED(buf) after = {0};
    store_key(&after, range->after);
    /* A key in an earlier namespace is before the first object of this one. */
    if (str_cmp(buf_str(&after), prefix) < 0)
        return clip_range(tree_seek(tree, prefix), prefix);
    return clip_range(tree_seek_after(tree, buf_str(&after)), prefix);
}

static struct tree_node *step_walk(struct tree_node *node, struct str prefix)
{
    return clip_range(tree_next(node), prefix);
}

/* The next object of the merged sequence; NULL at the end. */
static struct object_text *next_record(struct walk *at)
{
    while (at->now || at->past) {
        const int order = !at->past  ? -1
                          : !at->now ? 1
                                     : str_cmp(tree_key(at->now), tree_key(at->past));
        struct object_text *text =
            order < 0 ? ((struct store_record *)at->now->value)->text : at->past->value;
        if (order <= 0)
            at->now = step_walk(at->now, at->prefix);
        if (order >= 0)
            at->past = step_walk(at->past, at->prefix);
        if (text)
            return text;
    }
    return NULL;
}

/* The object behind the last visited one is looked up to tell whether there are more. */
static void visit_all(struct walk *walk, const struct store_range *range, store_visit_fn *visit,
                      void *data, struct store_page *page)
{
    struct object_text *text = next_record(walk);
    for (size_t visited = 0; text; text = next_record(walk)) {
        if (range->limit && visited == range->limit)
            break;
        visited++;
        if (!visit(data, object_text_key(text), text)) {
            text = next_record(walk);
            break;
        }
    }
    page->has_more = text != NULL;
    for (; text && range->count_remaining; text = next_record(walk))
        page->remaining++;
}

static struct error *check_revision(struct store *store, const struct store_resource *resource,
                                    int64_t revision)
{
    if (revision > store->revision)
        return error_new(ERROR_TIMEOUT, "revision %lld is still to come, the newest is %lld",
                         (long long)revision, (long long)store->revision);
    store_compact(store);
    if (revision < store->compaction->floor)
        return error_new(ERROR_EXPIRED, "revision %lld was compacted", (long long)revision);
    return store_check_history(store, resource, revision);
}

struct error *store_scan(struct store *store, const struct store_range *range,
                         store_visit_fn *visit, void *data, struct store_page *ret_page)
{
    const struct store_resource *resource = store_find_resource(store, range->resource);
    if (range->revision)
        TRY(check_revision(store, resource, range->revision));
    *ret_page =
        (struct store_page){.revision = range->revision ? range->revision : store->revision};
    if (!resource)
        return NULL;

    SCOPED(tree) past = {0};
    if (range->revision)
        undo_events(&resource->events, range->revision, &past);
    SCOPED(buf) prefix = {0};
    if (!str_is_empty(range->namespace))
        store_key(&prefix, (struct key){.namespace = range->namespace});
    struct walk walk = {.prefix = buf_str(&prefix)};
    walk.now = begin_walk(&resource->records, range, walk.prefix);
    walk.past = begin_walk(&past, range, walk.prefix);
    visit_all(&walk, range, visit, data, ret_page);
    return NULL;
}
