/*
 * Applies JSON patches. Each operation has a function with the checks, order and messages of
 * evanphx/json-patch (patch.go); the table in apply_operation() names them. Operations work on a
 * patch tree, and the result is written as a new document at the end, so a failure changes nothing.
 */
#include "json/json_patch.h"

#include "json/compare_internal.h"
#include "json/json_patch_internal.h"
#include "json/patch_target.h"

static const yyjson_val null_value = {.tag = YYJSON_TYPE_NULL};

/* A document under change. Copies made by "copy" are documents, which the tree borrows from. */
struct patching {
    struct patch_tree tree;
    size_t copied; /* bytes of text that "copy" added */
    struct json_doc **copies;
    size_t copy_count, copy_capacity;
};

static void patching_done(struct patching *patching)
{
    patch_tree_done(&patching->tree);
    for (size_t i = 0; i < patching->copy_count; i++)
        json_doc_free(patching->copies[i]);
    mem_free(patching->copies);
}

/* The operation's value; a missing one is null. */
static struct patch_slot given_slot(const struct operation *operation)
{
    return (struct patch_slot){.value = operation->value ? operation->value : &null_value};
}

/* The path replaces "@" in the message. */
static struct error *fail_missing(const char *format, struct str path)
{
    SCOPED(buf) text = {.limit = 0};
    const char *place = strchr(format, '@');
    buf_add(&text, str_from(format, (size_t)(place - format)));
    buf_add(&text, path);
    buf_add(&text, str_from_c(place + 1));
    return error_new(ERROR_INVALID, "%.*s: missing value", STR_ARG(buf_str(&text)));
}

static struct error *apply_add(struct patching *patching, const struct operation *operation)
{
    if (!operation->has_path)
        return error_new(ERROR_INVALID, "add operation failed to decode path: missing value");
    const struct patch_target target = patch_target_follow(&patching->tree, operation->path);
    if (!target.node)
        return fail_missing("add operation does not apply: doc is missing path: \"@\"",
                            operation->path);
    TRY(patch_target_add(&patching->tree, target, given_slot(operation)),
        "error in add for path: '%.*s'", STR_ARG(operation->path));
    return NULL;
}

static struct error *apply_remove(struct patching *patching, const struct operation *operation)
{
    if (!operation->has_path)
        return error_new(ERROR_INVALID, "remove operation failed to decode path: missing value");
    const struct patch_target target = patch_target_follow(&patching->tree, operation->path);
    if (!target.node)
        return fail_missing("remove operation does not apply: doc is missing path: \"@\"",
                            operation->path);
    TRY(patch_target_remove(&patching->tree, target), "error in remove for path: '%.*s'",
        STR_ARG(operation->path));
    return NULL;
}

/* The library takes a scalar without a word and changes nothing. */
static struct error *replace_all(struct patching *patching, const struct operation *operation)
{
    const struct patch_slot content = given_slot(operation);
    if (!val_is_container(content.value))
        return error_new(ERROR_INVALID, "replace operation value must be object or array");
    patching->tree.root = content;
    return NULL;
}

static struct error *fail_path_missing(const char *operation)
{
    return error_new(ERROR_INVALID,
                     "%s operation failed to decode path: operation missing path field: missing "
                     "value",
                     operation);
}

/* "replace" of an absent member adds it, as in the library; an absent element is an error. */
static struct error *apply_replace(struct patching *patching, const struct operation *operation)
{
    if (!operation->has_path)
        return fail_path_missing("replace");
    if (str_is_empty(operation->path))
        return replace_all(patching, operation);
    const struct patch_target target = patch_target_follow(&patching->tree, operation->path);
    if (!target.node)
        return fail_missing("replace operation does not apply: doc is missing path: @",
                            operation->path);
    struct patch_slot *slot;
    OWNED(error) err = patch_target_find(&patching->tree, target, &slot);
    if (err)
        return fail_missing("replace operation does not apply: doc is missing key: @",
                            operation->path);
    if (!slot)
        return patch_target_add(&patching->tree, target, given_slot(operation));
    slot->value = given_slot(operation).value;
    slot->node = NULL;
    return NULL;
}

/* Finds the source of a move or a copy. */
static struct error *follow_from(struct patching *patching, const struct operation *operation,
                                 const char *missing_from, struct patch_target *ret_target)
{
    if (!operation->has_from)
        return error_new(ERROR_INVALID,
                         "%.*s operation failed to decode from: operation, missing from field: "
                         "missing value",
                         STR_ARG(operation->op));
    *ret_target = patch_target_follow(&patching->tree, operation->from);
    return ret_target->node ? NULL : fail_missing(missing_from, operation->from);
}

/* The source is removed before the destination is looked up, which can shift its indices. */
static struct error *apply_move(struct patching *patching, const struct operation *operation)
{
    struct patch_target source = {0};
    struct patch_slot *slot = NULL;
    TRY(follow_from(patching, operation,
                    "move operation does not apply: doc is missing from path: @", &source));
    TRY(patch_target_find(&patching->tree, source, &slot), "error in move for path: '%.*s'",
        STR_ARG(source.key));
    const struct patch_slot content = slot ? *slot : (struct patch_slot){.value = &null_value};
    TRY(patch_target_remove(&patching->tree, source), "error in move for path: '%.*s'",
        STR_ARG(source.key));
    if (!operation->has_path)
        return fail_path_missing("move");
    const struct patch_target target = patch_target_follow(&patching->tree, operation->path);
    if (!target.node)
        return fail_missing("move operation does not apply: doc is missing destination path: @",
                            operation->path);
    TRY(patch_target_add(&patching->tree, target, content), "error in move for path: '%.*s'",
        STR_ARG(operation->path));
    return NULL;
}

/*
 * Makes a copy that later changes to the source do not reach. The text size of all copies is
 * limited, as in the API server, because copies can double a document with each operation.
 */
static struct error *copy_slot(struct patching *patching, const struct patch_slot *source,
                               struct patch_slot *ret_copy)
{
    SCOPED(json_builder) builder = {.limit = 0};
    SCOPED(buf) text = {.limit = JSON_PATCH_COPY_MAX - patching->copied};
    OWNED(json_doc) doc = NULL;
    patch_tree_write(source, &builder);
    TRY(builder_finish_checked(&builder, &doc));
    json_write_with(&text, json_doc_root(doc), JSON_WRITE_NUMBERS_AS_READ);
    if (text.overflowed)
        return error_new(ERROR_INVALID,
                         "Unable to complete the copy, the accumulated size increase of copy "
                         "exceeds the limit %zu",
                         JSON_PATCH_COPY_MAX);
    patching->copied += text.len;
    ret_copy->value = doc->root;
    ARRAY_PUSH(patching->copies, patching->copy_count, patching->copy_capacity, TAKE(doc));
    return NULL;
}

static struct error *apply_copy(struct patching *patching, const struct operation *operation)
{
    struct patch_target source = {0};
    struct patch_slot *slot = NULL;
    TRY(follow_from(patching, operation,
                    "copy operation does not apply: doc is missing from path: @", &source));
    TRY(patch_target_find(&patching->tree, source, &slot), "error in copy for from: '%.*s'",
        STR_ARG(operation->from));
    if (!operation->has_path)
        return error_new(ERROR_INVALID, "copy operation failed to decode path: missing value");
    const struct patch_target target = patch_target_follow(&patching->tree, operation->path);
    if (!target.node)
        return fail_missing("copy operation does not apply: doc is missing destination path: @",
                            operation->path);
    struct patch_slot content = {.value = &null_value};
    if (slot)
        TRY(copy_slot(patching, slot, &content));
    TRY(patch_target_add(&patching->tree, target, content), "error while adding value during copy");
    return NULL;
}

/* A changed container is written as a document for the comparison; that counts as work. */
static bool slot_equals(struct patch_tree *tree, const struct patch_slot *slot,
                        const yyjson_val *value)
{
    if (!slot->node)
        return val_equal(slot->value, value, true);
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    patch_tree_write(slot, &builder);
    tree->work += builder.count + builder.text_size / sizeof(yyjson_val);
    OWNED(error) err = builder_finish_checked(&builder, &doc);
    return !err && val_equal(doc->root, value, true);
}

/* An absent member equals null and a missing value. A null member equals only a null value. */
static bool passes_test(struct patch_tree *tree, const struct patch_slot *slot,
                        const struct operation *operation)
{
    if (!slot)
        return val_type(given_slot(operation).value) == YYJSON_TYPE_NULL;
    return operation->value && slot_equals(tree, slot, operation->value);
}

static struct error *apply_test(struct patching *patching, const struct operation *operation)
{
    struct patch_slot *slot = &patching->tree.root;
    if (!operation->has_path)
        return fail_path_missing("test");
    if (!str_is_empty(operation->path)) {
        const struct patch_target target = patch_target_follow(&patching->tree, operation->path);
        if (!target.node)
            return fail_missing("test operation does not apply: is missing path: @",
                                operation->path);
        TRY(patch_target_find(&patching->tree, target, &slot), "error in test for path: '%.*s'",
            STR_ARG(operation->path));
    }
    if (passes_test(&patching->tree, slot, operation))
        return NULL;
    return error_new(ERROR_INVALID, "testing value %.*s failed: test failed",
                     STR_ARG(operation->path));
}

static struct error *apply_operation(struct patching *patching, const struct operation *operation)
{
    static const struct {
        struct str op;
        struct error *(*apply)(struct patching *patching, const struct operation *operation);
    } kinds[] = {
        {STR_INIT("add"),     apply_add    },
        {STR_INIT("remove"),  apply_remove },
        {STR_INIT("replace"), apply_replace},
        {STR_INIT("move"),    apply_move   },
        {STR_INIT("copy"),    apply_copy   },
        {STR_INIT("test"),    apply_test   },
    };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(operation->op, kinds[i].op))
            return kinds[i].apply(patching, operation);
    return error_new(ERROR_INVALID, "Unexpected kind: %.*s", STR_ARG(operation->op));
}

/* Work is checked after each operation, so a patch cannot run for long before it is refused. */
struct error *json_patch_apply(const struct json_patch *patch, const struct json_value *original,
                               struct json_doc **ret_doc)
{
    SCOPED(patching) patching = {.copied = 0};
    patch_tree_init(&patching.tree, original ? json_to_yyjson(original) : &null_value);
    for (size_t i = 0; i < patch->count; i++) {
        TRY(apply_operation(&patching, &patch->operations[i]));
        TRY(patch_tree_check(&patching.tree));
    }
    SCOPED(json_builder) builder = {.limit = 0};
    patch_tree_write(&patching.tree.root, &builder);
    return builder_finish_checked(&builder, ret_doc);
}
