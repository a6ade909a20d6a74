/*
 * Limits and faults of one call, and the list of documents that it fills.
 *
 * A fault has two forms: an error with a message, and a struct manifest_fault with class and place
 * for programs. manifest_fail() makes both. Places inside a chunk become places in the whole text
 * by counting the lines in front of the chunk.
 */
#include <stdarg.h>

#include "base/array.h"
#include "json/json.h"
#include "json/yaml/manifest_internal.h"

#define TEXT_MAX      (16 * MEGABYTE)
#define DOCUMENTS_MAX 100000
#define NODES_MAX     2000000
#define MEMORY_MAX    (48 * MEGABYTE)

static const struct {
    enum manifest_error error;
    struct str name;
} names[] = {
    {MANIFEST_FINE,             STR_INIT("fine")            },
    {MANIFEST_SYNTAX,           STR_INIT("syntax")          },
    {MANIFEST_TAG,              STR_INIT("tag")             },
    {MANIFEST_MAP_KEY,          STR_INIT("map-key")         },
    {MANIFEST_NO_JSON_FORM,     STR_INIT("no-json-form")    },
    {MANIFEST_ANCHOR,           STR_INIT("anchor")          },
    {MANIFEST_ALIASING,         STR_INIT("aliasing")        },
    {MANIFEST_DEPTH,            STR_INIT("depth")           },
    {MANIFEST_NOT_A_MAPPING,    STR_INIT("not-a-mapping")   },
    {MANIFEST_SEPARATOR,        STR_INIT("separator")       },
    {MANIFEST_TRAILING_CONTENT, STR_INIT("trailing-content")},
    {MANIFEST_JSON_LIST,        STR_INIT("json-list")       },
    {MANIFEST_TOO_LARGE,        STR_INIT("too-large")       },
};

_Static_assert(COUNT(names) == MANIFEST_ERRORS, "a row for every class, in the order of the enum");

struct str manifest_error_name(enum manifest_error error)
{
    return names[error].name;
}

void manifest_list_done(struct manifest_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        json_doc_free(list->docs[i]);
    mem_free(list->docs);
    *list = (struct manifest_list){0};
}

void manifest_list_add(struct manifest_list *list, struct json_doc *doc)
{
    ARRAY_PUSH(list->docs, list->count, list->capacity_, doc);
}

void manifest_list_truncate(struct manifest_list *list, size_t count)
{
    while (list->count > count)
        json_doc_free(list->docs[--list->count]);
}

static size_t or_default(size_t given, size_t usual)
{
    return given ? given : usual;
}

void manifest_scope_init(struct manifest_scope *scope, const struct manifest_options *options,
                         bool doubles)
{
    const struct manifest_options none = {0};
    const struct manifest_options *given = options ? options : &none;
    *scope = (struct manifest_scope){
        .limits = {.text_max = or_default(given->text_max, TEXT_MAX),
                   .documents_max = or_default(given->documents_max, DOCUMENTS_MAX),
                   .nodes_max = or_default(given->nodes_max, NODES_MAX),
                   .memory_max = or_default(given->memory_max, MEMORY_MAX),
                   .flow_work_max = or_default(given->flow_work_max, MANIFEST_FLOW_WORK_MAX),
                   .duplicates = given->duplicates},
        .doubles = doubles,
    };
    scope->nodes_left = scope->limits.nodes_max;
    scope->memory_left = scope->limits.memory_max;
    scope->flow_work_left = scope->limits.flow_work_max;
    scope->reread_left = MANIFEST_REREAD_MAX;
}

void manifest_scope_done(struct manifest_scope *scope)
{
    arena_done(&scope->arena);
    buf_done(&scope->json);
}

static struct error *new_error(struct manifest_scope *scope, enum manifest_error error,
                               const char *format, va_list args) PRINTF_LIKE(3, 0);

/* Sets the class of the fault. Limits have the code ERROR_TOO_LARGE, all else ERROR_PARSE. */
static struct error *new_error(struct manifest_scope *scope, enum manifest_error error,
                               const char *format, va_list args)
{
    scope->fault.error = error;
    return error_new_va(error == MANIFEST_TOO_LARGE ? ERROR_TOO_LARGE : ERROR_PARSE, format, args);
}

static size_t count_lines(struct str text)
{
    size_t count = 0;
    for (size_t at; (at = str_find_char(text, '\n')) != STR_NONE; text = str_skip(text, at + 1))
        count++;
    return count;
}

/* Lines are counted only for faults, so that reading does not pay for them. */
size_t manifest_line(const struct manifest_scope *scope, struct manifest_mark mark)
{
    return count_lines(scope->before) + mark.line + 1;
}

void manifest_fault_at(struct manifest_scope *scope, struct manifest_mark mark)
{
    scope->fault.line = manifest_line(scope, mark);
    scope->fault.column = mark.column + 1;
}

struct error *manifest_fail(struct manifest_scope *scope, enum manifest_error error,
                            struct manifest_mark mark, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = new_error(scope, error, format, args);
    va_end(args);
    manifest_fault_at(scope, mark);
    return error_wrap(err, "line %zu, column %zu", mark.line + 1, mark.column + 1);
}

struct error *manifest_fail_overall(struct manifest_scope *scope, enum manifest_error error,
                                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = new_error(scope, error, format, args);
    va_end(args);
    scope->fault.line = scope->fault.column = 0;
    return err;
}

void manifest_scope_clear(struct manifest_scope *scope)
{
    arena_clear(&scope->arena);
    buf_clear(&scope->json);
}

/* Chunks of comments count as documents, since each costs a parser. */
struct error *manifest_check_count(struct manifest_scope *scope, const struct manifest_list *list)
{
    if (list->count <= scope->limits.documents_max && scope->chunks <= scope->limits.documents_max)
        return NULL;
    return manifest_fail_overall(scope, MANIFEST_TOO_LARGE, "more than %zu documents",
                                 scope->limits.documents_max);
}
