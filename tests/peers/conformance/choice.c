#include "peers/conformance/choice.h"

static bool has(struct str names, struct str name)
{
    while (names.len) {
        struct str one;
        str_cut(&names, ',', &one);
        if (str_eq(one, name))
            return true;
    }
    return false;
}

static bool is_known(const struct exchange_list *list, struct str name, bool is_id)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_eq(is_id ? list->items[i].id : list->items[i].group, name))
            return true;
    return false;
}

static struct error *check_known(const struct exchange_list *list, struct str names, bool is_id)
{
    while (names.len) {
        struct str name;
        str_cut(&names, ',', &name);
        if (!is_known(list, name, is_id))
            return error_new(ERROR_NOT_FOUND, "no such %s: %.*s", is_id ? "exchange" : "group",
                             STR_ARG(name));
    }
    return NULL;
}

/* Whether an exchange that was asked for comes here or later in this group. */
static bool leads_to(const struct exchange_list *list, size_t at, struct str ids)
{
    for (size_t i = at; i < list->count; i++)
        if (str_eq(list->items[i].group, list->items[at].group) && has(ids, list->items[i].id))
            return true;
    return false;
}

struct error *choices_make(struct arena *arena, const struct exchange_list *list,
                           const struct choice_options *options, struct choices *ret_choices)
{
    struct choices choices = {
        .items = arena_alloc_array(arena, list->count, sizeof(struct choice)),
    };
    TRY(check_known(list, options->groups, false));
    TRY(check_known(list, options->ids, true));
    for (size_t i = 0; i < list->count; i++) {
        const struct exchange *exchange = &list->items[i];
        if (options->groups.len && !has(options->groups, exchange->group))
            continue;
        if (options->ids.len && !leads_to(list, i, options->ids))
            continue;
        choices.items[choices.count++] = (struct choice){
            .exchange = exchange,
            .reported = !options->ids.len || has(options->ids, exchange->id),
            .skipped = (exchange->needs_controllers && options->without_controllers) ||
                       (exchange->needs_compaction && !options->with_compaction),
        };
    }
    *ret_choices = choices;
    return NULL;
}
