#include "json/string_pool.h"

#include "base/memory.h"

#define BLOCK_MIN   ((size_t)256)
#define BLOCK_MAX   ((size_t)64 * KILOBYTE)
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static struct string_pool *new_block(size_t capacity)
{
    struct string_pool *block = mem_alloc(sizeof(*block) + capacity);
    *block = (struct string_pool){.capacity = capacity};
    return block;
}

/* Blocks double up to BLOCK_MAX. A longer string gets a block of its size. */
char *string_pool_alloc(struct string_pool **pool, size_t len)
{
    struct string_pool *block = *pool;
    if (!block || block->capacity - block->len <= len) {
        size_t capacity = block ? block->capacity * 2 : BLOCK_MIN;
        if (capacity > BLOCK_MAX)
            capacity = BLOCK_MAX;
        if (capacity <= len)
            capacity = len + 1;
        block = new_block(capacity);
        block->next = *pool;
        *pool = block;
    }
    char *room = block->bytes + block->len;
    block->len += len + 1;
    room[len] = '\0';
    return room;
}

void string_pool_free(struct string_pool *pool)
{
    while (pool) {
        struct string_pool *next = pool->next;
        mem_free(pool);
        pool = next;
    }
}

struct str string_pool_copy(struct string_pool **pool, struct str s)
{
    char *copy = string_pool_alloc(pool, s.len);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return str_from(copy, s.len);
}

/* Length of the valid UTF-8 sequence at the start of s; 0 when there is none. */
static size_t valid_sequence(struct str s)
{
    for (size_t len = 1; len <= 4 && len <= s.len; len++)
        if (str_is_utf8(str_from(s.ptr, len)))
            return len;
    return 0;
}

static size_t repaired_length(struct str s)
{
    size_t total = 0;
    while (s.len) {
        const size_t len = valid_sequence(s);
        total += len ? len : strlen(REPLACEMENT);
        s = str_skip(s, len ? len : 1);
    }
    return total;
}

/* Two passes: the first computes the length, since a replacement has three bytes. */
struct str string_pool_repair(struct string_pool **pool, struct str s)
{
    const size_t total = repaired_length(s);
    char *copy = string_pool_alloc(pool, total);
    for (char *out = copy; s.len;) {
        const size_t len = valid_sequence(s);
        const struct str piece = len ? str_slice(s, 0, len) : STR(REPLACEMENT);
        memcpy(out, piece.ptr, piece.len);
        out += piece.len;
        s = str_skip(s, len ? len : 1);
    }
    return str_from(copy, total);
}
