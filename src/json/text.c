#include "json/text.h"

#include "base/memory.h"

#define BLOCK_MIN   ((size_t)256)
#define BLOCK_MAX   ((size_t)64 * KILOBYTE)
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static struct json_text *new_block(size_t capacity)
{
    struct json_text *block = mem_alloc(sizeof(*block) + capacity);
    *block = (struct json_text){.capacity = capacity};
    return block;
}

char *json_text_alloc(struct json_text **list, size_t len)
{
    struct json_text *block = *list;
    if (!block || block->capacity - block->len <= len) {
        size_t capacity = block ? block->capacity * 2 : BLOCK_MIN;
        if (capacity > BLOCK_MAX)
            capacity = BLOCK_MAX;
        if (capacity <= len)
            capacity = len + 1;
        block = new_block(capacity);
        block->next = *list;
        *list = block;
    }
    char *room = block->bytes + block->len;
    block->len += len + 1;
    room[len] = '\0';
    return room;
}

void json_text_free(struct json_text *list)
{
    while (list) {
        struct json_text *next = list->next;
        mem_free(list);
        list = next;
    }
}

struct str json_text_copy(struct json_text **list, struct str s)
{
    char *copy = json_text_alloc(list, s.len);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return str_from(copy, s.len);
}

/* Length of the valid sequence at the start of s, 0 for none. */
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

struct str json_text_repair(struct json_text **list, struct str s)
{
    const size_t total = repaired_length(s);
    char *copy = json_text_alloc(list, total);
    for (char *out = copy; s.len;) {
        const size_t len = valid_sequence(s);
        const struct str piece = len ? str_slice(s, 0, len) : STR(REPLACEMENT);
        memcpy(out, piece.ptr, piece.len);
        out += piece.len;
        s = str_skip(s, len ? len : 1);
    }
    return str_from(copy, total);
}
