/*
 * Reads manifests as Cluster API and Kubernetes do: splits a stream into chunks (manifest_split.c),
 * takes a chunk of JSON objects directly (manifest_json.c), and parses any other chunk as YAML
 * (manifest_parse.c, manifest_build.c).
 *
 * Every public function makes a manifest_scope, which carries limits and the place of a fault
 * through all steps. Messages are those of Cluster API's ToUnstructured(), because they end up in
 * conditions.
 */
#include "json/yaml/manifest.h"

#include "base/quote.h"
#include "json/json.h"
#include "json/yaml/manifest_internal.h"

/* Limits the quoted chunk in a message, so that the cause behind it is not cut off. */
#define QUOTED_MAX (ERROR_MESSAGE_MAX - 4 * KILOBYTE)

/* Reads a chunk as YAML. A chunk without a document is null. */
static struct error *read_yaml(struct manifest_scope *scope, struct str chunk,
                               struct json_doc **ret_doc)
{
    struct manifest_tree tree;
    manifest_scope_clear(scope);
    TRY(manifest_parse(scope, chunk, &tree), "yaml");
    if (!tree.root)
        return json_read(STR("null"), ret_doc);
    return error_wrap(manifest_build(scope, &tree, ret_doc), "yaml");
}

/* A chunk that is null is skipped: it is blank or holds comments only. */
static struct error *add_yaml(struct manifest_scope *scope, struct str chunk,
                              struct manifest_list *list)
{
    OWNED(json_doc) doc = NULL;
    TRY(read_yaml(scope, chunk, &doc), "error converting YAML to JSON");
    const enum json_type type = json_type(json_doc_root(doc));
    if (type == JSON_NULL)
        return NULL; /* blank, or nothing but comments */
    if (type != JSON_OBJECT)
        return manifest_fail_overall(scope, MANIFEST_NOT_A_MAPPING,
                                     "the document is %s, not a mapping",
                                     type == JSON_ARRAY ? "a sequence" : "a scalar");
    manifest_list_add(list, TAKE(doc));
    return NULL;
}

/* As Cluster API counts, 11st, 12nd and 13rd included. */
static const char *ordinal_ending(size_t n)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    return n % 10 < COUNT(endings) ? endings[n % 10] : "th";
}

/* Go's %q of the chunk, up to QUOTED_MAX. */
static struct str quote_chunk(struct buf *buf, struct str chunk)
{
    char piece[QUOTE_PIECE_MAX];
    buf_add_char(buf, '"');
    while (chunk.len && buf->len < QUOTED_MAX)
        buf_add(buf, str_from(piece, quote_next_go(&chunk, piece)));
    buf_add(buf, chunk.len ? STR("…\"") : STR("\""));
    return buf_str(buf);
}

/* Blanks only, perhaps behind a separator. A stream may hold many of these; they need no parser. */
static bool is_blank(struct str chunk)
{
    size_t at = str_starts_with(chunk, STR("---")) ? 3 : 0;
    while (at < chunk.len && (chunk.ptr[at] == ' ' || chunk.ptr[at] == '\n'))
        at++;
    return at == chunk.len;
}

/* Adds the documents of one chunk. An error quotes the chunk and its ordinal. */
static struct error *add_chunk(struct manifest_scope *scope, struct str chunk,
                               struct manifest_list *list)
{
    const size_t ordinal = list->count + 1;
    if (is_blank(chunk) || manifest_read_objects(scope, chunk, list))
        return NULL;
    scope->chunks++;
    struct error *err = add_yaml(scope, chunk, list);
    if (!err)
        return NULL;
    SCOPED(buf) quoted = {0};
    const struct str text = quote_chunk(&quoted, chunk);
    scope->fault.document = ordinal;
    return error_wrap(err, "failed to unmarshal the %zu%s yaml document: %.*s", ordinal,
                      ordinal_ending(ordinal), STR_ARG(text));
}

static struct error *fail_with_separator(struct manifest_scope *scope, struct str behind)
{
    struct error *err = manifest_fail_overall(
        scope, MANIFEST_SEPARATOR, "invalid Yaml document separator: %.*s", STR_ARG(behind));
    manifest_fault_at(scope, (struct manifest_mark){0});
    return error_wrap(err, "failed to read yaml");
}

/* Numbers of documents are checked after each chunk, since a chunk of JSON may hold many. */
static struct error *read_stream(struct manifest_scope *scope, struct str text,
                                 struct manifest_list *list)
{
    SCOPED(buf) copy = {0};
    struct manifest_splitter splitter = {0};
    splitter.text = manifest_normalize(text, &copy);
    for (struct str chunk;;) {
        const enum manifest_split split = manifest_split_next(&splitter, &chunk);
        scope->before = str_slice(splitter.text, 0, splitter.start);
        if (split == SPLIT_END)
            return NULL;
        if (split == SPLIT_BAD_SEPARATOR)
            return fail_with_separator(scope, chunk);
        TRY(add_chunk(scope, chunk, list));
        TRY(manifest_check_count(scope, list));
    }
}

/*
 * A text that starts with "[" is a JSON array, as in Cluster API, which however looks for the
 * bracket in the first 32 bytes only.
 */
static struct error *read_any(struct manifest_scope *scope, struct str text,
                              struct manifest_list *list)
{
    return str_starts_with(manifest_trim(text), STR("[")) ? manifest_read_list(scope, text, list)
                                                          : read_stream(scope, text, list);
}

static struct error *check_text(struct manifest_scope *scope, struct str text)
{
    if (text.len <= scope->limits.text_max)
        return NULL;
    return manifest_fail_overall(scope, MANIFEST_TOO_LARGE, "%zu bytes of text, more than %zu",
                                 text.len, scope->limits.text_max);
}

typedef struct error *read_fn(struct manifest_scope *scope, struct str text,
                              struct manifest_list *list);

/* The caller's list is written only on success. */
static struct error *read_list_with(read_fn *read, struct manifest_scope *scope, struct str text,
                                    struct manifest_list *ret_list)
{
    SCOPED(manifest_list) list = {0};
    TRY(check_text(scope, text));
    TRY(read(scope, text, &list));
    *ret_list = list;
    list = (struct manifest_list){0};
    return NULL;
}

static struct error *read_with(read_fn *read, struct str text,
                               const struct manifest_options *options,
                               struct manifest_list *ret_list, struct manifest_fault *fault)
{
    SCOPED(manifest_scope) scope;
    manifest_scope_init(&scope, options, true);
    struct error *err = read_list_with(read, &scope, text, ret_list);
    if (err && fault)
        *fault = scope.fault;
    return err;
}

struct error *manifest_read(struct str text, const struct manifest_options *options,
                            struct manifest_list *ret_list, struct manifest_fault *fault)
{
    return read_with(read_any, text, options, ret_list, fault);
}

struct error *manifest_read_stream(struct str text, const struct manifest_options *options,
                                   struct manifest_list *ret_list, struct manifest_fault *fault)
{
    return read_with(read_stream, text, options, ret_list, fault);
}

static struct error *read_one(struct manifest_scope *scope, struct str text,
                              struct json_doc **ret_doc)
{
    SCOPED(manifest_list) list = {0};
    TRY(check_text(scope, text));
    if (manifest_read_objects(scope, text, &list) && list.count == 1) {
        *ret_doc = json_doc_ref(list.docs[0]);
        return NULL;
    }
    return read_yaml(scope, text, ret_doc);
}

static struct error *read_one_with(struct manifest_scope *scope, struct str text,
                                   struct json_doc **ret_doc, struct manifest_fault *fault)
{
    struct error *err = read_one(scope, text, ret_doc);
    if (err && fault)
        *fault = scope->fault;
    return err;
}

struct error *manifest_read_one(struct str text, const struct manifest_options *options,
                                struct json_doc **ret_doc, struct manifest_fault *fault)
{
    SCOPED(manifest_scope) scope;
    manifest_scope_init(&scope, options, false);
    return read_one_with(&scope, text, ret_doc, fault);
}

struct error *manifest_read_first(struct str text, const struct manifest_options *options,
                                  struct json_doc **ret_doc, struct manifest_fault *fault)
{
    SCOPED(manifest_scope) scope;
    manifest_scope_init(&scope, options, false);
    scope.drops_rest = true;
    return read_one_with(&scope, text, ret_doc, fault);
}
