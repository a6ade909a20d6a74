#include "apiserver/storage/store_budget.h"

#include <stddef.h>

bool store_budget_allows(const struct store_budget *budget, int64_t bytes)
{
    for (; budget; budget = budget->parent)
        if (budget->limit && budget->used + bytes > budget->limit)
            return false;
    return true;
}

void store_budget_add(struct store_budget *budget, int64_t bytes)
{
    for (; budget; budget = budget->parent)
        budget->used += bytes;
}
