#include "web/web_reasons.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "clusterresourceset/types/delivery.h"

#define DIFFERS     '*'
#define REASONS_MAX ((size_t)10000)
#define TEXT_MAX    ((size_t)512) /* of the words that are compared */

/* A reason while clusters are counted. */
struct group {
    struct web_reason reason;
    const struct status_cluster *last; /* the cluster that was counted last */
    const struct status_set **sets;
    size_t set_capacity;
};

static bool is_word_char(char c)
{
    return !ascii_is_space(c) && c != ',' && c != ';' && c != '(' && c != ')';
}

/* A word with a digit and something else than digits is a name, an address or a size. */
static bool differs(struct str word)
{
    bool has_digit = false, has_other = false;
    for (size_t i = 0; i < word.len; i++) {
        if (ascii_is_digit(word.ptr[i]))
            has_digit = true;
        else if (word.ptr[i] != ':' || i + 1 < word.len)
            has_other = true;
    }
    return has_digit && has_other;
}

void web_reasons_add_words(struct buf *out, struct str message)
{
    message = str_slice(message, 0, TEXT_MAX);
    while (message.len) {
        size_t len = 0;
        if (message.ptr[0] == '"') {
            const size_t end = str_find_char(str_skip(message, 1), '"');
            len = end == STR_NONE ? message.len : end + 2;
            buf_add_char(out, DIFFERS);
        } else if (!is_word_char(message.ptr[0])) {
            len = 1;
            buf_add_char(out, message.ptr[0]);
        } else {
            while (len < message.len && is_word_char(message.ptr[len]) && message.ptr[len] != '"')
                len++;
            const struct str word = str_slice(message, 0, len);
            buf_add(out, differs(word) ? STR("*") : word);
        }
        message = str_skip(message, len);
    }
}

/* What makes two failures the same: state and words. The cluster's own name differs. */
static void write_group_key(struct buf *out, enum status_state state, struct str why,
                            const struct status_cluster *cluster)
{
    buf_print(out, "%d ", (int)state);
    for (;;) {
        const size_t at = cluster->key.name.len ? str_find(why, cluster->key.name) : STR_NONE;
        if (at == STR_NONE)
            break;
        web_reasons_add_words(out, str_slice(why, 0, at));
        buf_add_char(out, DIFFERS);
        why = str_skip(why, at + cluster->key.name.len);
    }
    web_reasons_add_words(out, why);
}

static bool has_set(const struct group *group, const struct status_set *set)
{
    for (size_t i = 0; i < group->reason.sets; i++)
        if (group->sets[i] == set)
            return true;
    return false;
}

static void count_in(struct web_view const *view, struct group *group,
                     const struct status_cluster *cluster, const struct status_set *set,
                     timestamp since)
{
    struct web_reason *reason = &group->reason;
    reason->clusters += group->last != cluster;
    group->last = cluster;
    if (since && (!reason->since || since < reason->since))
        reason->since = since;
    if (set && !has_set(group, set))
        ARENA_ARRAY_PUSH(view->arena, group->sets, reason->sets, group->set_capacity, set);
}

/* What is said of a failure that says nothing. */
static struct str words_of(enum status_state state, struct str why)
{
    return why.len ? why : str_from_c(status_state_name(state));
}

/*
 * The first cause in the delivery record is the shortest that can be said of a failure, and it is
 * the same wherever the cause is. Of a set that is refused as a whole the record is old.
 */
static struct str words_of_cell(const struct status_cell *cell)
{
    const struct status_set *set = cell->set;
    const struct delivery *delivery = cell->delivery;
    if (cell->state == STATUS_FAILED && !set->is_refused && !set->lacks_resource && delivery &&
        delivery->failures.first)
        return delivery->failures.first->message;
    return words_of(cell->state, cell->why);
}

static void add_failure(const struct web_view *view, struct map *groups,
                        const struct status_cluster *cluster, const struct status_cell *cell)
{
    const enum status_state state = cell ? cell->state : cluster->state;
    const struct str why = cell ? words_of_cell(cell) : words_of(state, cluster->lost_why);
    SCOPED(buf) key = {.limit = 0};
    write_group_key(&key, state, why, cluster);
    struct group *group = map_find(groups, buf_str(&key));
    if (!group) {
        if (map_count(groups) >= REASONS_MAX)
            return;
        group = ARENA_NEW(view->arena, struct group);
        group->reason = (struct web_reason){
            .state = state, .text = why, .cluster = cluster, .set = cell ? cell->set : NULL};
        map_put(groups, buf_str(&key), group);
    }
    count_in(view, group, cluster, cell ? cell->set : NULL, cell ? cell->since : cluster->since);
}

/* States that need a person. */
static bool is_failure(enum status_state state)
{
    return state < STATUS_WAITING;
}

/* A cluster that cannot be reached is one failure, whatever sets it has. */
static void add_cluster(const struct web_view *view, struct map *groups,
                        const struct status_cluster *cluster, struct str set)
{
    if (cluster->state == STATUS_UNREACHABLE && !set.len) {
        add_failure(view, groups, cluster, NULL);
        return;
    }
    for (size_t i = 0; i < cluster->cell_count; i++) {
        const struct status_cell *cell = &cluster->cells[i];
        if (is_failure(cell->state) && (!set.len || str_eq(set, cell->set->key.name)))
            add_failure(view, groups, cluster, cell);
    }
}

static int compare_reasons(const void *a, const void *b)
{
    const struct web_reason *one = a, *other = b;
    if (one->state != other->state)
        return one->state < other->state ? -1 : 1;
    if (one->clusters != other->clusters)
        return one->clusters > other->clusters ? -1 : 1;
    return str_cmp(one->text, other->text);
}

/* Sets that fail as a whole, without a cluster that does. */
static size_t add_set_failures(const struct web_view *view, struct str only,
                               struct web_reason *items, size_t count)
{
    for (size_t i = 0; i < view->set_count; i++) {
        const struct status_set *set = view->sets[i];
        if (set->state != STATUS_FAILED || set->counts[STATUS_FAILED] ||
            (only.len && !str_eq(only, set->key.name)))
            continue;
        items[count++] = (struct web_reason){.state = set->state,
                                             .text = words_of(set->state, set->why),
                                             .sets = 1,
                                             .since = set->since,
                                             .set = set};
    }
    return count;
}

struct web_reasons web_reasons_find(const struct web_view *view, struct str set)
{
    SCOPED(map) groups = {0};
    size_t count = 0;
    for (size_t i = 0; i < view->cluster_count; i++)
        if (!status_state_is_fine(view->clusters[i]->state))
            add_cluster(view, &groups, view->clusters[i], set);
    struct web_reason *items =
        arena_alloc_array(view->arena, map_count(&groups) + view->set_count + 1, sizeof(*items));
    MAP_FOREACH (entry, &groups)
        items[count++] = ((const struct group *)entry->value)->reason;
    count = add_set_failures(view, set, items, count);
    if (count)
        qsort(items, count, sizeof(*items), compare_reasons);
    return (struct web_reasons){items, count};
}
