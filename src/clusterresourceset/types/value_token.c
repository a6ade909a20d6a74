#include "clusterresourceset/types/value_token.h"

#define OPENING "(("

/* How a token begins. With a key the quotation mark belongs to it. */
static const struct token_start {
    struct str text;
    enum value_source source;
    bool has_key;
} starts[] = {
    {STR_INIT(OPENING "cluster.name"),          VALUE_NAME,       false},
    {STR_INIT(OPENING "cluster.namespace"),     VALUE_NAMESPACE,  false},
    {STR_INIT(OPENING "cluster.label \""),      VALUE_LABEL,      true },
    {STR_INIT(OPENING "cluster.annotation \""), VALUE_ANNOTATION, true },
    {STR_INIT(OPENING "cluster.field \""),      VALUE_FIELD,      true },
};

/* How a token ends. */
static const struct token_end {
    struct str text;
    enum value_type type;
} ends[] = {
    {STR_INIT("))"),         VALUE_TEXT},
    {STR_INIT(" as int))"),  VALUE_INT },
    {STR_INIT(" as bool))"), VALUE_BOOL},
};

const char *value_source_name(enum value_source source)
{
    static const char *const names[] = {
        [VALUE_NAME] = "name",   [VALUE_NAMESPACE] = "namespace",
        [VALUE_LABEL] = "label", [VALUE_ANNOTATION] = "annotation",
        [VALUE_FIELD] = "field",
    };
    return names[source];
}

/* Takes the key and the quotation mark behind it off the text. */
static bool take_key(struct str *text, struct str *ret_key)
{
    const size_t len = str_find_char(str_slice(*text, 0, VALUE_TOKEN_KEY_MAX + 1), '"');
    if (len == STR_NONE || !len)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text->ptr[i] < ' ')
            return false;
    *ret_key = str_slice(*text, 0, len);
    *text = str_skip(*text, len + 1);
    return true;
}

/* Reads the token that the text begins with, if it begins in this way. */
static bool read_as(struct str text, const struct token_start *start, struct value_token *ret_token)
{
    struct str rest = str_skip(text, start->text.len);
    struct str key = STR("");
    if (!str_starts_with(text, start->text) || (start->has_key && !take_key(&rest, &key)))
        return false;
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (!str_starts_with(rest, ends[i].text))
            continue;
        *ret_token = (struct value_token){
            .source = start->source,
            .type = ends[i].type,
            .key = key,
            .text = str_slice(text, 0, text.len - rest.len + ends[i].text.len),
        };
        return true;
    }
    return false;
}

bool value_token_find(struct str text, struct value_token *ret_token, size_t *ret_at)
{
    for (size_t at = 0;; at++) {
        const size_t next = str_find(str_skip(text, at), STR(OPENING));
        if (next == STR_NONE)
            return false;
        at += next;
        for (size_t i = 0; i < COUNT(starts); i++) {
            if (!read_as(str_skip(text, at), &starts[i], ret_token))
                continue;
            *ret_at = at;
            return true;
        }
    }
}
