#include "peers/conformance/excerpt.h"

#include "json/builder.h"
#include "json/path.h"
#include "peers/conformance/pointer.h"

/* Pointers that begin alike end up in one place, so members are gathered token by token. */
struct gathering {
    const struct json_value *values; /* pointer: value */
    struct json_builder *builder;
    struct arena *arena;
};

static bool begins_with(const struct pointer *pointer, const struct pointer *prefix)
{
    if (pointer->count < prefix->count)
        return false;
    for (size_t i = 0; i < prefix->count; i++)
        if (!str_eq(pointer->tokens[i], prefix->tokens[i]))
            return false;
    return true;
}

/* The tokens that follow a prefix, each once, in the order of the pointers. */
static struct pointer tokens_behind(const struct gathering *gathering, const struct pointer *prefix)
{
    struct pointer tokens = {
        .tokens = arena_alloc_array(gathering->arena, json_count(gathering->values) + 1,
                                    sizeof(struct str)),
    };
    const struct json_value *value;
    JSON_FOREACH (text, value, gathering->values) {
        const struct pointer pointer = pointer_read(gathering->arena, text);
        if (json_type(value) == JSON_NULL || !begins_with(&pointer, prefix) ||
            pointer.count == prefix->count)
            continue;
        const struct str token = pointer.tokens[prefix->count];
        bool known = false;
        for (size_t i = 0; i < tokens.count; i++)
            known |= str_eq(tokens.tokens[i], token);
        if (!known)
            tokens.tokens[tokens.count++] = token;
    }
    return tokens;
}

static const struct json_value *value_at(const struct gathering *gathering,
                                         const struct pointer *place)
{
    const struct json_value *value;
    JSON_FOREACH (text, value, gathering->values) {
        const struct pointer pointer = pointer_read(gathering->arena, text);
        if (pointer.count == place->count && begins_with(&pointer, place))
            return value;
    }
    return NULL;
}

static void gather(struct gathering *gathering, struct pointer *place);

static void gather_child(struct gathering *gathering, struct pointer *place, struct str token)
{
    struct pointer child = {
        .tokens = arena_alloc_array(gathering->arena, place->count + 1, sizeof(struct str)),
        .count = place->count + 1,
    };
    for (size_t i = 0; i < place->count; i++)
        child.tokens[i] = place->tokens[i];
    child.tokens[place->count] = token;
    gather(gathering, &child);
}

/* "[metadata.name=a]" also has to be true of the element. */
static void add_key(struct gathering *gathering, const struct pointer *place)
{
    const struct str last = place->count ? place->tokens[place->count - 1] : STR("");
    if (!str_starts_with(last, STR("[")))
        return;
    struct str names, wanted = str_slice(last, 1, last.len - 1);
    str_cut(&wanted, '=', &names);
    size_t depth = 0;
    for (;; depth++) {
        struct str name;
        const bool more = str_cut(&names, '.', &name);
        json_builder_key(gathering->builder, name);
        if (!more)
            break;
        json_builder_object(gathering->builder);
    }
    json_builder_str(gathering->builder, wanted);
    while (depth--)
        json_builder_end(gathering->builder);
}

static void gather_array(struct gathering *gathering, struct pointer *place,
                         const struct pointer *tokens)
{
    size_t index, next = 0;
    json_builder_array(gathering->builder);
    for (size_t i = 0; i < tokens->count; i++, next++) {
        for (; json_path_index(tokens->tokens[i], &index) && next < index; next++)
            json_builder_null(gathering->builder);
        gather_child(gathering, place, tokens->tokens[i]);
    }
    json_builder_end(gathering->builder);
}

static void gather(struct gathering *gathering, struct pointer *place)
{
    const struct json_value *value = value_at(gathering, place);
    const struct pointer tokens = tokens_behind(gathering, place);
    size_t index;
    if (value || !tokens.count) {
        json_builder_value(gathering->builder, value);
        return;
    }
    if (str_starts_with(tokens.tokens[0], STR("[")) || json_path_index(tokens.tokens[0], &index)) {
        gather_array(gathering, place, &tokens);
        return;
    }
    json_builder_object(gathering->builder);
    add_key(gathering, place);
    for (size_t i = 0; i < tokens.count; i++) {
        json_builder_key(gathering->builder, tokens.tokens[i]);
        gather_child(gathering, place, tokens.tokens[i]);
    }
    json_builder_end(gathering->builder);
}

struct error *excerpt_to_document(struct arena *arena, const struct json_value *values,
                                  struct json_doc **ret_document)
{
    SCOPED(json_builder) builder = {0};
    struct gathering gathering = {values, &builder, arena};
    gather(&gathering, &(struct pointer){0});
    return json_builder_finish(&builder, ret_document);
}
