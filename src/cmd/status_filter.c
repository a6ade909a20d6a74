#include "cmd/status_filter.h"

#define AT(member) offsetof(struct status_filter, member)

const struct flag status_filter_flags[STATUS_FILTER_FLAGS] = {
    {"selector|l",  FLAG_TEXT, AT(selector_text), FLAG_ANY},
    {"failed",      FLAG_BOOL, AT(failed),        FLAG_ANY},
    {"unreachable", FLAG_BOOL, AT(unreachable),   FLAG_ANY},
};

int status_filter_read(struct status_filter *filter, const struct command *command)
{
    OWNED(error)
    wrong = selector_read(&filter->arena, str_from_c(filter->selector_text), &filter->selector);
    return wrong ? command_misused(command, "-l: %s", wrong->message) : COMMAND_DONE;
}

void status_filter_done(struct status_filter *filter)
{
    arena_done(&filter->arena);
}

void status_filter_use(const struct status_filter *filter, struct status_model *model)
{
    model->selector = filter->selector;
    model->only_states = (filter->failed ? 1U << STATUS_FAILED : 0) |
                         (filter->unreachable ? 1U << STATUS_UNREACHABLE : 0);
}
