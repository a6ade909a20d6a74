#include "peers/conformance/pointer.h"

#include "base/buf.h"
#include "json/compare.h"
#include "json/path.h"

static struct str unescape(struct arena *arena, struct str token)
{
    if (str_find_char(token, '~') == STR_NONE || str_starts_with(token, STR("[")))
        return token;
    SCOPED(buf) out = {0};
    for (size_t i = 0; i < token.len; i++) {
        const char next = i + 1 < token.len ? token.ptr[i + 1] : 0;
        const bool escaped = token.ptr[i] == '~' && (next == '0' || next == '1');
        buf_add_char(&out, !escaped ? token.ptr[i] : next == '1' ? '/' : '~');
        i += escaped;
    }
    return arena_str(arena, buf_str(&out));
}

/* Takes a token off the front. A slash inside brackets does not separate. */
static struct str next_token(struct str *rest)
{
    size_t end = 0;
    for (int depth = 0; end < rest->len && (rest->ptr[end] != '/' || depth > 0); end++)
        depth += (rest->ptr[end] == '[') - (rest->ptr[end] == ']');
    const struct str token = str_slice(*rest, 0, end);
    *rest = str_skip(*rest, end + 1);
    return token;
}

struct pointer pointer_read(struct arena *arena, struct str text)
{
    struct pointer pointer = {0};
    if (!text.len)
        return pointer;
    /* No more tokens than slashes, and one for a pattern that does not begin with one. */
    pointer.tokens = arena_alloc_array(arena, text.len + 1, sizeof(struct str));
    const bool rooted = text.ptr[0] == '/';
    const bool ends_open = text.ptr[text.len - 1] == '/';
    struct str rest = str_skip(text, rooted);
    while (rest.len)
        pointer.tokens[pointer.count++] = unescape(arena, next_token(&rest));
    if (ends_open)
        pointer.tokens[pointer.count++] = STR("");
    return pointer;
}

static const struct json_value *member_at(const struct json_value *value, struct str names)
{
    while (value && names.len) {
        struct str name;
        str_cut(&names, '.', &name);
        value = json_get(value, name);
    }
    return value;
}

static const struct json_value *find_element(const struct json_value *array, struct str token)
{
    struct str names, wanted = str_slice(token, 1, token.len - 1);
    str_cut(&wanted, '=', &names);
    OWNED(json_doc) doc = NULL;
    OWNED(error) not_json = json_read(wanted, &doc);
    const struct json_value *element;
    JSON_FOREACH (key, element, array) {
        const struct json_value *member = member_at(element, names);
        if (!member)
            continue;
        if (json_type(member) == JSON_STRING && str_eq(json_to_str(member), wanted))
            return element;
        if (!not_json && json_equal(member, json_doc_root(doc)))
            return element;
    }
    return NULL;
}

static const struct json_value *step(const struct json_value *value, struct str token)
{
    size_t index;
    if (json_type(value) != JSON_ARRAY)
        return json_get(value, token);
    if (str_starts_with(token, STR("[")))
        return find_element(value, token);
    return json_path_index(token, &index) ? json_at(value, index) : NULL;
}

const struct json_value *pointer_find(const struct json_value *value, struct str text)
{
    SCOPED(arena) arena = {0};
    const struct pointer pointer = pointer_read(&arena, text);
    for (size_t i = 0; value && i < pointer.count; i++)
        value = step(value, pointer.tokens[i]);
    return value;
}

static bool begins_with(const struct str *tokens, size_t count, const struct str *path)
{
    for (size_t i = 0; i < count; i++)
        if (!str_eq(tokens[i], STR("*")) && !str_eq(tokens[i], path[i]))
            return false;
    return true;
}

bool pointer_covers(const struct pointer *pattern, const struct str *path, size_t depth)
{
    const bool anywhere = pattern->count && str_eq(pattern->tokens[0], STR("**"));
    const struct str *tokens = pattern->tokens + anywhere;
    const size_t count = pattern->count - anywhere;
    if (count > depth)
        return false;
    const size_t last = anywhere ? depth - count : 0;
    for (size_t begin = 0; begin <= last; begin++)
        if (begins_with(tokens, count, path + begin))
            return true;
    return false;
}
