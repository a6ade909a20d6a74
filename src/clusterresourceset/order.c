#include "clusterresourceset/order.h"

#include "apimachinery/validation.h"

#define NAME_SHOWN 100 /* bytes of a name that is none */

static bool has_name(const struct order_names *names, struct str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(names->names[i], name))
            return true;
    return false;
}

/* What is wrong with the next name; empty: nothing. */
static struct str find_problem(const struct order_names *names, struct str name,
                               struct arena *arena)
{
    const struct validation found = validation_dns1123_subdomain(name);
    if (!validation_is_ok(found))
        return arena_print(arena,
                           "the annotation " ORDER_ANNOTATION
                           " names \"%.*s\", which is no name of a ClusterResourceSet: %.*s",
                           (int)(name.len < NAME_SHOWN ? name.len : NAME_SHOWN), name.ptr,
                           STR_ARG(found.messages[0]));
    if (names->count == ORDER_NAMES_MAX)
        return arena_print(arena, "the annotation " ORDER_ANNOTATION " names more than %d sets",
                           ORDER_NAMES_MAX);
    return (struct str){0};
}

struct order_names order_read(struct str text, struct arena *arena)
{
    struct order_names names = {0};
    struct str *list = NULL;
    while (text.len) {
        struct str name;
        str_cut(&text, ',', &name);
        name = str_trim(name);
        if (!name.len || has_name(&names, name))
            continue;
        const struct str problem = find_problem(&names, name, arena);
        if (problem.len)
            return (struct order_names){.problem = problem};
        if (!list)
            names.names = list = arena_alloc_array(arena, ORDER_NAMES_MAX, sizeof(*list));
        list[names.count++] = arena_str(arena, name);
    }
    return names;
}

/* A set that is applied in full is met, even if it is paused: nothing more is to come of it. */
enum order_state order_decide(const struct order_facts *facts)
{
    const struct {
        bool holds;
        enum order_state state;
    } rules[] = {
        {!facts->exists,                         ORDER_ABSENT      },
        {facts->is_deleting,                     ORDER_DELETING    },
        {!facts->is_watched,                     ORDER_UNWATCHED   },
        {!facts->is_known,                       ORDER_UNKNOWN     },
        {!facts->has_selector,                   ORDER_NO_SELECTOR },
        {!facts->is_selected,                    ORDER_NOT_SELECTED},
        {facts->is_refused,                      ORDER_REFUSED     },
        {!facts->is_read,                        ORDER_UNKNOWN     },
        {facts->is_applied && facts->is_unready, ORDER_NOT_READY   },
        {facts->is_applied,                      ORDER_MET         },
        {facts->is_paused,                       ORDER_PAUSED      },
        {!facts->is_complete,                    ORDER_INCOMPLETE  },
        {facts->has_failed,                      ORDER_FAILED      },
        {facts->has_other,                       ORDER_OLD         },
    };
    for (size_t i = 0; i < COUNT(rules); i++)
        if (rules[i].holds)
            return rules[i].state;
    return ORDER_NOT_APPLIED;
}

bool order_is_waited_for(enum order_state state)
{
    return state != ORDER_MET && state != ORDER_NOT_SELECTED;
}

void order_write_wait(struct buf *out, struct str set, enum order_state state)
{
    static const char *const words[ORDER_STATES] = {
        [ORDER_MET] = "is applied there",
        [ORDER_NOT_SELECTED] = "does not select the cluster",
        [ORDER_UNKNOWN] = "has not been looked at yet",
        [ORDER_ABSENT] = "does not exist",
        [ORDER_DELETING] = "is being deleted",
        [ORDER_UNWATCHED] = "lacks the label of this controller's watch filter",
        [ORDER_NO_SELECTOR] = "has a selector that cannot be used",
        [ORDER_REFUSED] = "is not worked on, as its condition says",
        [ORDER_PAUSED] = "is paused and not applied there",
        [ORDER_INCOMPLETE] = "names resources that are missing or cannot be used",
        [ORDER_FAILED] = "failed there",
        [ORDER_OLD] = "has not its present content there yet",
        [ORDER_NOT_APPLIED] = "is not applied there yet",
        [ORDER_NOT_READY] = "is not ready there yet",
    };
    buf_print(out, "%sClusterResourceSet %.*s, which %s", out->len ? ", for " : "waits for ",
              STR_ARG(set), words[state]);
}
