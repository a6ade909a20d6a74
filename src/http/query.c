#include "http/query.h"

#include "base/ascii.h"
#include "http/url.h"

static struct error *read_item(struct arena *arena, struct str text, struct query_item *ret_item)
{
    struct str name;
    str_cut(&text, '=', &name);
    TRY(url_unescape_query(arena, name, &ret_item->name));
    TRY(url_unescape_query(arena, text, &ret_item->value));
    return NULL;
}

struct error *query_read(struct arena *arena, struct str text, struct query *ret_query)
{
    *ret_query = (struct query){0};
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '&';
    if (count > QUERY_ITEMS_MAX)
        return error_new(ERROR_BAD_REQUEST, "more than %d query parameters", QUERY_ITEMS_MAX);
    ret_query->items = arena_alloc_array(arena, count, sizeof(struct query_item));
    while (text.len) {
        struct str part;
        str_cut(&text, '&', &part);
        if (str_is_empty(part))
            continue;
        OWNED(error) broken = read_item(arena, part, &ret_query->items[ret_query->count]);
        if (broken)
            return error_new(ERROR_BAD_REQUEST, "invalid URL escape in the query");
        ret_query->count++;
    }
    return NULL;
}

bool query_find(const struct query *query, struct str name, struct str *ret_value)
{
    for (size_t i = 0; i < query->count; i++)
        if (str_eq(query->items[i].name, name)) {
            *ret_value = query->items[i].value;
            return true;
        }
    return false;
}

static bool is_false_word(struct str text)
{
    const struct str word = STR("false");
    size_t i = 0;
    while (i < text.len && i < word.len && ascii_to_lower(text.ptr[i]) == word.ptr[i])
        i++;
    return i == text.len && i == word.len;
}

bool query_is_true(const struct query *query, struct str name)
{
    struct str text;
    return query_find(query, name, &text) && !str_eq(text, STR("0")) && !is_false_word(text);
}

struct str query_get(const struct query *query, struct str name)
{
    struct str value = {0};
    query_find(query, name, &value);
    return value;
}
