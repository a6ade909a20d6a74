#include "cmd/approve_prune.h"

#include "base/array.h"
#include "clusterresourceset/prune_token.h"
#include "clusterresourceset/types/delivery.h"
#include "cmd/terminal.h"

static void add_token(struct approve_tokens *tokens, struct arena *arena, struct str token)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (str_eq(tokens->items[i], token))
            return;
    ARENA_ARRAY_PUSH(arena, tokens->items, tokens->count, tokens->capacity, token);
}

void approve_prune_add(const struct object *binding, struct str set, struct arena *arena,
                       struct approve_tokens *tokens, struct buf *out)
{
    struct delivery_prune prune;
    if (!delivery_find_prune(binding, set, arena, &prune) || prune.state != DELIVERY_PRUNE_HELD ||
        !str_starts_with(prune.token, STR(PRUNE_TOKEN_PREFIX)))
        return;
    add_token(tokens, arena, prune.token);
    buf_add(out, STR("  "));
    terminal_add_shown(out, object_name(binding));
    buf_add(out, STR(": "));
    terminal_add_shown(out, prune.message);
    buf_add_char(out, '\n');
}
