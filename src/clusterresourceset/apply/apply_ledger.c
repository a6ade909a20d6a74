#include "clusterresourceset/apply/apply_ledger.h"

#include "base/array.h"

/* The last kinds are looked at first: objects of one kind stand together. */
void apply_ledger_add(struct apply_ledger *ledger, struct gvk gvk)
{
    SCOPED(arena) scratch = {0};
    const struct str kind = arena_print(&scratch, "%.*s/%.*s",
                                        STR_ARG(gvk_api_version(&scratch, gvk)), STR_ARG(gvk.kind));
    for (size_t i = ledger->kind_count; i-- > 0;)
        if (str_eq(ledger->kinds[i], kind))
            return;
    ARENA_ARRAY_PUSH(ledger->arena, ledger->kinds, ledger->kind_count, ledger->kind_capacity,
                     arena_str(ledger->arena, kind));
}
