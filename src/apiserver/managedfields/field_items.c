/*
 * Members and elements of two containers, side by side.
 *
 * Objects are paired by the names of members. Lists are read into items, each with a step: the
 * keys of an element of a keyed list, or the value of an element of a set, as canonical JSON.
 * Elements with the same step are chained, since duplicates may be there in objects that were
 * stored before a list got its keys.
 *
 * Every lookup is by hash, so that an object with 100,000 members takes the time of reading it.
 * Large lists are read once for each walk and remembered.
 */
#include "apiserver/managedfields/field_items.h"

#include "apiserver/strategicpatch/strategic_print.h"
#include "base/quote.h"
#include "json/compare.h"

/* Smaller objects are searched from the front. */
#define SEARCH_MAX 8

/* Lists from this size on are remembered, a few of them at a time. */
#define MEMO_FROM 256
#define MEMO_SIZE 16

static const struct json_value *as_object(const struct json_value *value)
{
    return json_type(value) == JSON_OBJECT ? value : NULL;
}

/* Members of an object by name. */
struct members {
    const struct json_value *object;
    const struct json_value **values; /* of larger ones */
    bool *found;
    struct field_index index;
};

/* Small objects are searched from the front, which is faster than making an index. */
static struct members members_of(struct arena *arena, const struct json_value *object)
{
    struct members members = {.object = object};
    const size_t count = json_count(object);
    if (count <= SEARCH_MAX)
        return members;
    members.values = arena_alloc_array(arena, count, sizeof(const struct json_value *));
    members.found = arena_alloc_array(arena, count, sizeof(bool));
    field_index_init(&members.index, arena, count);
    const struct json_value *value;
    size_t at = 0;
    JSON_FOREACH (key, value, object) {
        members.values[at] = value;
        field_index_put(&members.index, key, at++);
    }
    return members;
}

/* Notes what was found, so that field_pairs_of() knows which members only the new object has. */
static const struct json_value *members_find(struct members *members, struct str name)
{
    if (!members->values)
        return json_get(members->object, name);
    const size_t at = field_index_find(&members->index, name);
    if (at == STR_NONE)
        return NULL;
    members->found[at] = true;
    return members->values[at];
}

struct field_pairs field_pairs_of(struct arena *arena, const struct json_value *before,
                                  const struct json_value *after)
{
    const struct json_value *old = as_object(before), *value;
    struct members new = members_of(arena, as_object(after));
    const size_t most = json_count(old) + json_count(new.object);
    struct field_pairs pairs = {.items = arena_alloc_array(arena, most, sizeof(*pairs.items))};
    JSON_FOREACH (key, value, old)
        pairs.items[pairs.count++] = (struct field_pair){
            .step = {key, FIELD_STEP_MEMBER},
            .before = value,
            .after = members_find(&new, key),
        };
    const size_t shared = pairs.count;
    size_t at = 0;
    JSON_FOREACH (key, value, new.object) {
        bool known = new.found &&new.found[at];
        for (size_t i = 0; !new.found && !known &&i < shared; i++)
            known = pairs.items[i].after == value;
        at++;
        if (!known)
            pairs.items[pairs.count++] = (struct field_pair){
                .step = {key, FIELD_STEP_MEMBER},
                .after = value,
            };
    }
    return pairs;
}

/* The keys of a list in the order of their names. */
struct list_keys {
    struct str *names;
    size_t count;
};

/* Insertion sort: lists have one to three keys. */
static struct list_keys sorted_keys(struct arena *arena, struct field_type type)
{
    struct list_keys keys = {.count = field_type_key_count(type)};
    keys.names = arena_alloc_array(arena, keys.count, sizeof(*keys.names));
    for (size_t i = 0; i < keys.count; i++) {
        size_t at = i;
        const struct str name = field_type_key(type, i);
        for (; at > 0 && str_cmp(keys.names[at - 1], name) > 0; at--)
            keys.names[at] = keys.names[at - 1];
        keys.names[at] = name;
    }
    return keys;
}

/*
 * The step of an element of a keyed list. Returns what is wrong with the element, in the words of
 * an API server, or an empty text.
 */
static struct str write_keys(struct buf *text, struct arena *arena, struct field_type type,
                             const struct list_keys *keys, const struct json_value *value)
{
    if (json_type(value) == JSON_NULL)
        return STR("associative list with keys may not have a null element");
    if (json_type(value) != JSON_OBJECT)
        return STR("associative list with keys may not have non-map elements");
    buf_add_char(text, '{');
    for (size_t i = 0; i < keys->count; i++) {
        const struct json_value *key = json_get(value, keys->names[i]);
        buf_add(text, i ? STR(",") : STR(""));
        buf_add_json_string(text, keys->names[i]);
        buf_add_char(text, ':');
        if (key)
            json_write_canonical(text, key);
        else if (!field_type_key_default(type, keys->names[i], text))
            return arena_print(arena,
                               "associative list with keys has an element that omits key field "
                               "\"%.*s\" (and doesn't have default value)",
                               STR_ARG(keys->names[i]));
    }
    buf_add_char(text, '}');
    return STR("");
}

/* The step of an element of a set: scalars only. */
static struct str write_set_value(struct buf *text, const struct json_value *value)
{
    switch (json_type(value)) {
    case JSON_OBJECT:
        return STR("associative list without keys has an element that's a map type");
    case JSON_ARRAY:
        return STR("not supported: associative list with lists as elements");
    case JSON_NULL:
        return STR("associative list without keys has an element that's an explicit null");
    default:
        json_write_canonical(text, value);
        return STR("");
    }
}

static struct field_item *append_item(struct field_items *items, struct field_step step,
                                      const struct json_value *value)
{
    const size_t at = items->count++;
    items->items[at] = (struct field_item){
        .step = step,
        .value = value,
        .first = at,
        .next = STR_NONE,
        .last = at,
        .same = 1,
    };
    return &items->items[at];
}

/* Adds an element and chains it to those before it that have its step. */
static void add_item(struct field_items *items, struct field_step step,
                     const struct json_value *value)
{
    struct field_item *item = append_item(items, step, value);
    const size_t at = items->count - 1, first = field_index_put(&items->index, step.text, at);
    if (first == STR_NONE)
        return;
    item->first = first;
    items->items[items->items[first].last].next = at;
    items->items[first].last = at;
    items->items[first].same++;
}

/* An element that cannot be told from others has its place for a step, and is never found. */
static void add_broken(struct field_items *items, struct arena *arena,
                       const struct json_value *value)
{
    const struct str place = arena_print(arena, "%zu", items->count);
    if (items->broken == STR_NONE)
        items->broken = items->count;
    append_item(items, (struct field_step){place, FIELD_STEP_INDEX}, value);
}

/*
 * All elements of a list. The first one that has no step is remembered with its problem; the
 * others go on, since callers differ in whether they mind.
 */
static struct field_items read_items(struct arena *arena, struct field_type type,
                                     const struct json_value *list)
{
    struct field_items items = {.broken = STR_NONE};
    const bool is_map = field_type_shape(type).list == SCHEMA_LIST_MAP;
    const char kind = is_map ? FIELD_STEP_KEY : FIELD_STEP_VALUE;
    const struct list_keys keys = is_map ? sorted_keys(arena, type) : (struct list_keys){0};
    items.items = arena_alloc_array(arena, json_count(list), sizeof(*items.items));
    field_index_init(&items.index, arena, json_count(list));
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *value;
    JSON_FOREACH (key, value, list) {
        (void)key;
        buf_clear(&text);
        const struct str problem =
            is_map ? write_keys(&text, arena, type, &keys, value) : write_set_value(&text, value);
        if (!problem.len) {
            add_item(&items, (struct field_step){arena_str(arena, buf_str(&text)), kind}, value);
            continue;
        }
        if (!items.problem.len)
            items.problem = arena_print(arena, "element %zu: %.*s", items.count, STR_ARG(problem));
        add_broken(&items, arena, value);
    }
    return items;
}

/* Documents and types outlive the walk, so that their addresses tell them apart. */
struct field_items_memo {
    struct {
        const struct json_value *list;
        const void *node;
        struct field_items items;
    } known[MEMO_SIZE];
    size_t next;
};

struct field_items field_items_read(struct field_walk *walk, struct field_type type,
                                    const struct json_value *list)
{
    if (json_type(list) != JSON_ARRAY)
        return (struct field_items){.broken = STR_NONE};
    if (json_count(list) < MEMO_FROM)
        return read_items(walk->arena, type, list);
    if (!walk->memo)
        walk->memo = ARENA_NEW(walk->arena, struct field_items_memo);
    struct field_items_memo *memo = walk->memo;
    for (size_t i = 0; i < MEMO_SIZE; i++)
        if (memo->known[i].list == list && memo->known[i].node == type.node)
            return memo->known[i].items;
    const size_t at = memo->next++ % MEMO_SIZE;
    memo->known[at].items = read_items(walk->arena, type, list);
    memo->known[at].list = list;
    memo->known[at].node = type.node;
    return memo->known[at].items;
}

size_t field_items_find(const struct field_items *items, struct field_step step)
{
    return field_index_find(&items->index, step.text);
}

void field_print_value(struct buf *out, const struct json_value *value)
{
    buf_add(out, STR("&{"));
    strategic_print(out, value);
    buf_add_char(out, '}');
}

/* Go's %#v of nested interface values. */
static void print_syntax(struct buf *out, const struct json_value *value, size_t depth)
{
    const struct json_value *child;
    const bool is_object = json_type(value) == JSON_OBJECT;
    size_t seen = 0;
    switch (depth < FIELD_DEPTH_MAX ? json_type(value) : JSON_NULL) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        buf_add(out, is_object ? STR("map[string]interface {}{") : STR("[]interface {}{"));
        JSON_FOREACH (key, child, value) {
            buf_add(out, seen++ ? STR(", ") : STR(""));
            if (is_object) {
                str_quote_go(out, key);
                buf_add_char(out, ':');
            }
            print_syntax(out, child, depth + 1);
        }
        buf_add_char(out, '}');
        return;
    case JSON_STRING:
        str_quote_go(out, json_to_str(value));
        return;
    case JSON_NUMBER:
    case JSON_BOOL:
        json_write(out, value);
        return;
    case JSON_NULL:
    case JSON_ABSENT:
        buf_add(out, STR("interface {}(nil)"));
        return;
    }
}

void field_print_syntax(struct buf *out, const struct json_value *value)
{
    buf_add(out, STR("&value.valueUnstructured{Value:"));
    print_syntax(out, value, 0);
    buf_add_char(out, '}');
}
