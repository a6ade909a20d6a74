/*
 * Changing a list of conditions; condition.c reads single ones.
 *
 * An entry is either a value of the document, which is written back unchanged, members unknown to
 * us included, or a struct condition that was set. condition_list_set() is the heart of this file:
 * it decides whether anything changed and whether lastTransitionTime changes. The rules are those
 * of meta.SetStatusCondition() in apimachinery and of Cluster API's conditions packages.
 */
#include <string.h>

#include "apimachinery/condition.h"
#include "base/array.h"
#include "json/builder.h"
#include "json/path.h"

struct error *condition_list_read(struct arena *arena, enum condition_form form,
                                  const struct json_value *value, struct condition_list *ret_list)
{
    const struct json_value *entry;
    const enum json_type type = json_type(value);
    struct condition_list list = {.arena = arena, .form = form};
    if (type != JSON_ARRAY && type != JSON_NULL && type != JSON_ABSENT)
        return error_new(ERROR_INVALID, "conditions: expected an array, found %s",
                         json_type_name(type));
    JSON_FOREACH (key, entry, type == JSON_ARRAY ? value : NULL) {
        if (json_type(entry) != JSON_OBJECT)
            return error_new(ERROR_INVALID, "conditions[%zu]: expected an object, found %s",
                             list.count, json_type_name(json_type(entry)));
        ARENA_ARRAY_PUSH(arena, list.items, list.count, list.capacity,
                         (struct condition_entry){entry, condition_from_value(entry)});
    }
    *ret_list = list;
    return arena_check(arena);
}

static struct condition_entry *find_entry(const struct condition_list *list, struct str type)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_eq(list->items[i].condition.type, type))
            return &list->items[i];
    return NULL;
}

bool condition_list_find(const struct condition_list *list, struct str type,
                         struct condition *ret_condition)
{
    const struct condition_entry *entry = find_entry(list, type);
    if (entry)
        *ret_condition = entry->condition;
    return entry != NULL;
}

bool condition_list_remove(struct condition_list *list, struct str type)
{
    struct condition_entry *entry = find_entry(list, type);
    if (!entry)
        return false;
    list->count--;
    memmove(entry, entry + 1, (size_t)(&list->items[list->count] - entry) * sizeof(*entry));
    list->changed = true;
    return true;
}

static struct condition_entry *append_entry(struct condition_list *list)
{
    ARENA_ARRAY_GROW(list->arena, list->items, list->count, list->capacity);
    return &list->items[list->count++];
}

/* At most this many characters. A byte that is not UTF-8 counts as a character. */
static struct str cut_message(struct str s, size_t max)
{
    struct str rest = s;
    for (size_t i = 0; i < max && rest.len; i++) {
        const size_t len = str_char_len(rest);
        rest = str_skip(rest, len ? len : 1);
    }
    return str_slice(s, 0, s.len - rest.len);
}

/* The wanted condition as the form of the list can hold it, copied to the arena of the list. */
static struct condition shape_condition(const struct condition_list *list,
                                        const struct condition *wanted)
{
    const bool old = list->form == CONDITION_V1BETA1;
    const size_t max = old ? CONDITION_V1BETA1_MESSAGE_MAX : CONDITION_MESSAGE_MAX;
    struct condition condition = {
        .type = arena_str(list->arena, wanted->type),
        .status = wanted->status,
        .reason = arena_str(list->arena, wanted->reason),
        .message = arena_str(list->arena, cut_message(wanted->message, max)),
        .last_transition_time = arena_str(list->arena, wanted->last_transition_time),
    };
    if (old && wanted->status == CONDITION_FALSE)
        condition.severity = arena_str(list->arena, wanted->severity);
    if (list->form == CONDITION_METAV1)
        condition.observed_generation = wanted->observed_generation;
    return condition;
}

/* Compared as text: a status that is none of the three reads as unknown but must be replaced. */
static bool same_status(const struct condition_entry *entry, const struct condition *wanted)
{
    const struct str text = entry->value ? json_path_str(entry->value, "status")
                                         : condition_status_text(entry->condition.status);
    return str_eq(text, condition_status_text(wanted->status));
}

/* True when the condition equals the entry in everything but the time. */
static bool same_content(const struct condition_entry *entry, const struct condition *wanted)
{
    const struct condition *known = &entry->condition;
    return same_status(entry, wanted) && str_eq(known->reason, wanted->reason) &&
           str_eq(known->message, wanted->message) && str_eq(known->severity, wanted->severity) &&
           known->observed_generation == wanted->observed_generation;
}

/* Only CONDITION_METAV1 keeps the time while the status stays the same. */
bool condition_list_set(struct condition_list *list, const struct condition *wanted, timestamp now)
{
    struct condition condition = shape_condition(list, wanted);
    struct condition_entry *entry = find_entry(list, wanted->type);
    if (entry && same_content(entry, &condition))
        return false;
    const bool keeps_time = entry && entry->condition.last_transition_time.len &&
                            list->form == CONDITION_METAV1 && same_status(entry, &condition);
    if (keeps_time) {
        condition.last_transition_time = entry->condition.last_transition_time;
    } else if (condition.last_transition_time.len == 0) {
        char text[TIMESTAMP_TEXT_MAX];
        condition.last_transition_time = arena_str(list->arena, timestamp_write(now, text));
    }
    if (!entry)
        entry = append_entry(list);
    *entry = (struct condition_entry){NULL, condition};
    list->changed = true;
    return true;
}

/* Types that do not stand in alphabetical order. All others have rank 0. */
static const struct {
    enum condition_form form;
    struct str type;
    int rank;
} ranks[] = {
    {CONDITION_METAV1,  STR_INIT("Available"), -2},
    {CONDITION_METAV1,  STR_INIT("Ready"),     -1},
    {CONDITION_METAV1,  STR_INIT("Paused"),    1 },
    {CONDITION_METAV1,  STR_INIT("Deleting"),  2 },
    {CONDITION_V1BETA1, STR_INIT("Ready"),     -1},
};

static int rank_of(enum condition_form form, struct str type)
{
    for (size_t i = 0; i < COUNT(ranks); i++)
        if (ranks[i].form == form && str_eq(ranks[i].type, type))
            return ranks[i].rank;
    return 0;
}

/*
 * Entries of the same type keep their order in the document: values of one document lie in memory
 * in that order.
 */
static int cmp_entry(const struct condition_entry *a, const struct condition_entry *b,
                     enum condition_form form)
{
    const int by_rank = rank_of(form, a->condition.type) - rank_of(form, b->condition.type);
    if (by_rank)
        return by_rank;
    const int by_type = str_cmp(a->condition.type, b->condition.type);
    /* Of two with one type the first in the document stays first. */
    return by_type ? by_type : (a->value > b->value) - (a->value < b->value);
}

/* qsort() has no argument for the form, hence a function for each. */
static int cmp_metav1(const void *a, const void *b)
{
    return cmp_entry(a, b, CONDITION_METAV1);
}

static int cmp_v1beta1(const void *a, const void *b)
{
    return cmp_entry(a, b, CONDITION_V1BETA1);
}

/* A list that is in order is left unchanged, so that `changed` is not set for nothing. */
void condition_list_sort(struct condition_list *list)
{
    bool sorted = true;
    for (size_t i = 1; i < list->count; i++)
        sorted &= cmp_entry(&list->items[i - 1], &list->items[i], list->form) <= 0;
    if (sorted)
        return;
    qsort(list->items, list->count, sizeof(list->items[0]),
          list->form == CONDITION_V1BETA1 ? cmp_v1beta1 : cmp_metav1);
    list->changed = true;
}

static void add_text(struct json_builder *builder, const char *key, struct str text, bool always)
{
    if (always || text.len)
        json_builder_add_str(builder, key, text);
}

/*
 * Members stand in the order of the Go types, so that texts compare with those of upstream. metav1
 * writes reason and message even when they are empty.
 */
static void build_condition(struct json_builder *builder, const struct condition *condition,
                            enum condition_form form)
{
    const bool standard = form == CONDITION_METAV1;
    json_builder_object(builder);
    json_builder_add_str(builder, "type", condition->type);
    json_builder_add_str(builder, "status", condition_status_text(condition->status));
    add_text(builder, "severity", condition->severity, false);
    if (condition->observed_generation)
        json_builder_add_int(builder, "observedGeneration", condition->observed_generation);
    if (form != CONDITION_PLAIN)
        json_builder_add_str(builder, "lastTransitionTime", condition->last_transition_time);
    add_text(builder, "reason", condition->reason, standard);
    add_text(builder, "message", condition->message, standard);
    json_builder_end(builder);
}

struct error *condition_list_build(const struct condition_list *list, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_array(&builder);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].value)
            json_builder_value(&builder, list->items[i].value);
        else
            build_condition(&builder, &list->items[i].condition, list->form);
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}
