/*
 * How many bytes of objects a store may hold, and several stores together that have the same
 * parent. Used is what is stored, and what has been accepted and is not durable yet.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct store_budget {
    struct store_budget *parent; /* NULL: none; outlives this one */
    int64_t limit;               /* 0: none */
    int64_t used;
};

/* Whether this one and all above it have so much left. */
bool store_budget_allows(const struct store_budget *budget, int64_t bytes);

/* Also adds to all above it. Negative gives back. Never refuses. */
void store_budget_add(struct store_budget *budget, int64_t bytes);
