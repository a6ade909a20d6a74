/*
 * walk_document() goes through a document without recursion, in the order in which it is written,
 * and builds another one on the way if there is a builder. What becomes of a string is decided by
 * the function of the walk: note_tokens() or fill_text().
 */
#include "clusterresourceset/types/values_fill.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/memory.h"
#include "base/quote.h"
#include "base/shorten.h"
#include "clusterresourceset/types/content_items.h"
#include "json/builder.h"

#define PATH_SHOWN_MAX  ((size_t)256)
#define TOKEN_SHOWN_MAX ((size_t)256)

/* A container that the walk is in, and where in it. */
struct walk_level {
    struct json_iter iter;
    bool is_array;
    struct str key;
    size_t index; /* of the next element */
};

struct walk {
    struct walk_level *levels;
    size_t depth, capacity;
    struct json_builder *builder; /* NULL: nothing is built */
    void (*take_text)(struct walk *walk, struct str text);
    struct values *names;           /* of note_tokens() */
    size_t tokens;                  /* the same: how many it found */
    const struct values_fill *fill; /* of fill_text() */
    struct buf problem;             /* the same: what ends the walk; empty: nothing */
    bool is_full;                   /* the same: a text is too large */
};

static void walk_done(struct walk *walk)
{
    mem_free(walk->levels);
    buf_done(&walk->problem);
}

static void enter_container(struct walk *walk, const struct json_value *value)
{
    const bool is_array = json_type(value) == JSON_ARRAY;
    const struct walk_level level = {.iter = {.container = value}, .is_array = is_array};
    ARRAY_PUSH(walk->levels, walk->depth, walk->capacity, level);
    if (walk->builder && is_array)
        json_builder_array(walk->builder);
    else if (walk->builder)
        json_builder_object(walk->builder);
}

static void leave_container(struct walk *walk)
{
    walk->depth--;
    if (walk->builder)
        json_builder_end(walk->builder);
}

static void visit_value(struct walk *walk, const struct json_value *value)
{
    const enum json_type type = json_type(value);
    if (type == JSON_OBJECT || type == JSON_ARRAY)
        enter_container(walk, value);
    else if (type == JSON_STRING)
        walk->take_text(walk, json_to_str(value));
    else if (walk->builder)
        json_builder_value(walk->builder, value);
}

static void walk_document(struct walk *walk, const struct json_value *root)
{
    visit_value(walk, root);
    while (walk->depth && !walk->problem.len && !walk->is_full) {
        struct walk_level *level = &walk->levels[walk->depth - 1];
        const struct json_value *value;
        if (!json_next(&level->iter, &level->key, &value)) {
            leave_container(walk);
            continue;
        }
        level->index++;
        if (walk->builder && !level->is_array)
            json_builder_key(walk->builder, level->key);
        visit_value(walk, value);
    }
}

static void note_tokens(struct walk *walk, struct str text)
{
    struct value_token token;
    size_t at;
    while (value_token_find(text, &token, &at)) {
        values_add(walk->names, &token);
        walk->tokens++;
        text = str_skip(text, at + token.text.len);
    }
}

void values_use_find(const struct content *content, struct values_use *ret_use)
{
    const size_t count = content_count(content);
    ret_use->has_tokens =
        arena_alloc_array(&ret_use->names.arena, count + 1, sizeof(*ret_use->has_tokens));
    for (size_t i = 0; i < count; i++) {
        SCOPED(values) names = {0};
        SCOPED(walk) walk = {.take_text = note_tokens, .names = &names};
        const struct json_value *root = object_root(content_object(content, i));
        walk_document(&walk, root);
        ret_use->has_tokens[i] = names.count > 0;
        ret_use->bytes += names.count ? json_size(root) : 0;
        ret_use->tokens += walk.tokens;
        values_add_all(&ret_use->names, &names);
    }
}

void values_use_done(struct values_use *use)
{
    values_done(&use->names);
    use->has_tokens = NULL;
}

static bool is_plain(struct str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (!ascii_is_alphanumeric(key.ptr[i]) && key.ptr[i] != '-' && key.ptr[i] != '_')
            return false;
    return key.len > 0;
}

/* "spec.containers[0].env" of where the walk is; names with other characters are quoted. */
static void write_path(const struct walk *walk, struct buf *out)
{
    for (size_t i = 0; i < walk->depth && out->len < PATH_SHOWN_MAX; i++) {
        const struct walk_level *level = &walk->levels[i];
        if (level->is_array) {
            buf_print(out, "[%zu]", level->index - 1);
        } else if (is_plain(level->key)) {
            buf_print(out, "%s%.*s", i ? "." : "", STR_ARG(level->key));
        } else {
            buf_add_char(out, '[');
            str_quote_go(out, shorten_to_beginning(level->key, PATH_SHOWN_MAX));
            buf_add_char(out, ']');
        }
    }
}

/* "spec.replicas: ((cluster.label "x")): Cluster ns/c1 has no such label" */
static void fail_token(struct walk *walk, const struct value_token *token, const char *what)
{
    const struct key cluster = walk->fill->cluster;
    SCOPED(buf) path = {.limit = 0};
    write_path(walk, &path);
    shorten_text(&walk->problem, buf_str(&path), PATH_SHOWN_MAX);
    buf_add(&walk->problem, STR(": "));
    shorten_text(&walk->problem, token->text, TOKEN_SHOWN_MAX);
    buf_print(&walk->problem, ": Cluster %.*s/%.*s %s", STR_ARG(cluster.namespace),
              STR_ARG(cluster.name), what);
}

/* The value of a token; NULL: the walk has failed. */
static const struct value *find_value(struct walk *walk, const struct value_token *token)
{
    static const char *const words[] = {
        [VALUE_NO_SCALAR] = "has no text, number or truth value there",
        [VALUE_TOO_LONG] = "has a value of more than 4096 bytes there",
        [VALUE_TOO_MUCH] = "has values of more than 64 KiB together for this set",
    };
    const struct value *value = values_find(walk->fill->values, token->source, token->key);
    if (!value) {
        fail_token(walk, token, "gives 64 values at most, and the set uses more");
        return NULL;
    }
    if (value->problem == VALUE_MISSING) {
        SCOPED(buf) missing = {.limit = 0};
        buf_print(&missing, "has no such %s", value_source_name(token->source));
        fail_token(walk, token, buf_c(&missing));
    } else if (value->problem) {
        fail_token(walk, token, words[value->problem]);
    }
    return value->problem ? NULL : value;
}

/* "-12" and "0", but neither "+1", "01" nor "". */
static bool read_int(struct str text, int64_t *ret_number)
{
    const struct str digits = str_starts_with(text, STR("-")) ? str_skip(text, 1) : text;
    for (size_t i = 0; i < digits.len; i++)
        if (!ascii_is_digit(digits.ptr[i]))
            return false;
    return digits.len && (digits.len == 1 || digits.ptr[0] != '0') &&
           str_to_int64(text, ret_number);
}

/* A token that is all of its string. */
static void fill_typed(struct walk *walk, const struct value_token *token)
{
    const struct value *value = find_value(walk, token);
    int64_t number;
    if (!value)
        return;
    const bool truth = str_eq(value->text, STR("true"));
    if (token->type == VALUE_INT && read_int(value->text, &number))
        json_builder_int(walk->builder, number);
    else if (token->type == VALUE_BOOL && (truth || str_eq(value->text, STR("false"))))
        json_builder_bool(walk->builder, truth);
    else
        fail_token(walk, token,
                   token->type == VALUE_INT ? "has a value that is no whole number of 64 bits"
                                            : "has a value that is neither true nor false");
}

static void fill_text(struct walk *walk, struct str text)
{
    SCOPED(buf) filled = {.limit = VALUES_FILL_MAX, .secret = true};
    struct value_token token;
    size_t at;
    bool is_filled = false;
    for (; value_token_find(text, &token, &at); text = str_skip(text, at + token.text.len)) {
        const bool is_whole = !is_filled && token.text.len == text.len;
        is_filled = true;
        if (token.type != VALUE_TEXT && is_whole) {
            fill_typed(walk, &token);
            return;
        }
        if (token.type != VALUE_TEXT) {
            fail_token(walk, &token, "can give a number or a truth value for a whole text alone");
            return;
        }
        const struct value *value = find_value(walk, &token);
        if (!value)
            return;
        buf_add(&filled, str_slice(text, 0, at));
        buf_add(&filled, value->text);
    }
    buf_add(&filled, text);
    json_builder_str(walk->builder, buf_str(&filled));
    walk->is_full = filled.overflowed || json_builder_is_full(walk->builder);
}

/* Tells of an object that cannot be filled. Its name is as it is written. */
static void add_failure(const struct values_fill *fill, const struct content *content, size_t index,
                        struct str text)
{
    const struct object *object = content_object(content, index);
    const struct failed_object failed = {
        .verb = STR("filling in"),
        .api_version = object_api_version(object),
        .kind = object_kind(object),
        .namespace = object_namespace(object),
        .name = object_name(object),
        .resource = fill->resource,
        .key = content_key(content, index),
        .document = content_document(content, index),
    };
    failures_add(fill->failures, &failed, error_code_name(ERROR_INVALID), text);
}

static void fail_size(const struct values_fill *fill, struct buf *problem)
{
    buf_print(problem,
              "with the values of Cluster %.*s/%.*s the objects of the set take more than 16 MiB",
              STR_ARG(fill->cluster.namespace), STR_ARG(fill->cluster.name));
}

/* NULL: it failed. A limit of 0 would be the default of the builder. */
static struct object *fill_object(struct values_fill *fill, const struct content *content,
                                  size_t index)
{
    const size_t left = fill->used < VALUES_FILL_MAX ? VALUES_FILL_MAX - fill->used : 1;
    SCOPED(json_builder) builder = {.limit = left};
    SCOPED(walk) walk = {.builder = &builder, .take_text = fill_text, .fill = fill};
    OWNED(json_doc) doc = NULL;
    struct object *object = NULL;
    walk_document(&walk, object_root(content_object(content, index)));
    OWNED(error)
    err = walk.problem.len || walk.is_full ? NULL : json_builder_finish(&builder, &doc);
    if (doc)
        err = object_from_doc(doc, &object);
    if (!object && !walk.problem.len)
        fail_size(fill, &walk.problem);
    if (!object)
        add_failure(fill, content, index, buf_str(&walk.problem));
    else
        fill->used += json_size(object_root(object));
    return object;
}

void values_filled_done(struct values_filled *filled)
{
    for (size_t i = 0; i < filled->count; i++)
        object_free(filled->objects[i]);
    mem_free(filled->objects);
    *filled = (struct values_filled){0};
}

void values_fill_objects(struct values_fill *fill, const struct content *content,
                         const struct values_use *use, struct values_filled *ret_filled)
{
    const size_t count = content_count(content), before = fill->failures->failed;
    struct object **objects = mem_realloc_array(NULL, count + 1, sizeof(struct object *));
    for (size_t i = 0; i < count; i++)
        objects[i] = use->has_tokens[i] ? fill_object(fill, content, i) : NULL;
    *ret_filled = (struct values_filled){objects, count, fill->failures->failed > before};
}

struct content *values_fill_content(struct values_fill *fill, const struct content *content,
                                    const struct values_use *use)
{
    SCOPED(values_filled) filled;
    values_fill_objects(fill, content, use, &filled);
    return filled.has_failed ? NULL : content_replace(content, filled.objects);
}

/* A list of objects and what is around a document take memory, too. */
size_t values_fill_bound(const struct content *content, const struct values_use *use,
                         const struct values *values)
{
    size_t longest = 0, objects = 0;
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].text.len > longest)
            longest = values->items[i].text.len;
    for (size_t i = 0; i < content_count(content); i++)
        objects += use->has_tokens[i];
    const size_t filled = use->bytes + use->tokens * longest + objects * CONTENT_OBJECT_BYTES;
    return (filled < VALUES_FILL_MAX ? filled : VALUES_FILL_MAX) +
           content_count(content) * sizeof(struct content_item);
}
