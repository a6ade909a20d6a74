/*
 * Classes of errors. struct error has no member for them, so class, reason, message and delay are
 * kept as a JSON object in the error's details. error_wrap() leaves details as they are, so that a
 * class survives it. The details of a server's Status have no member "errorClass", so the two
 * cannot be confused.
 */
#include "framework/error_class.h"

#include "base/buf.h"
#include "json/builder.h"
#include "json/path.h"

/* The class as the details name it. Classes without a name are never stored. */
static const struct str class_names[] = {
    [ERROR_CLASS_UNCLASSIFIED] = STR_INIT(""),
    [ERROR_CLASS_RETRY_LATER] = STR_INIT("retryLater"),
    [ERROR_CLASS_UNRECOVERABLE] = STR_INIT("unrecoverable"),
    [ERROR_CLASS_STALE] = STR_INIT("stale"),
    [ERROR_CLASS_CANCELED] = STR_INIT(""),
};

struct parts {
    enum error_class class;
    struct str reason, message;
    duration delay;
};

/* Makes the error and its details. The cause is only read; the callers free it. */
static struct error *new_classified(const struct error *cause, const struct parts *parts)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    struct error *err = NULL;
    if (cause && parts->message.len)
        err = error_new(cause->code, "%.*s: %s", STR_ARG(parts->message), cause->message);
    else if (cause)
        err = error_new(cause->code, "%s", cause->message);
    else
        err = error_new(ERROR_UNKNOWN, "%.*s", STR_ARG(parts->message));
    json_builder_object(&builder);
    json_builder_add_str(&builder, "errorClass", class_names[parts->class]);
    json_builder_add_str(&builder, "reason", parts->reason);
    const bool by_cause = parts->class == ERROR_CLASS_UNRECOVERABLE && cause;
    json_builder_add_str(&builder, "message",
                         by_cause ? str_from_c(cause->message) : parts->message);
    json_builder_add_int(&builder, "delay", parts->delay);
    json_builder_end(&builder);
    OWNED(error) full = json_builder_finish(&builder, &doc);
    if (full)
        return err;
    json_write(&text, json_doc_root(doc));
    err->details = buf_take(&text);
    return err;
}

struct error *error_class_retry_later(struct error *cause, struct str reason, struct str message,
                                      duration after)
{
    OWNED(error) owned = cause;
    return new_classified(owned, &(struct parts){ERROR_CLASS_RETRY_LATER, reason, message, after});
}

struct error *error_class_unrecoverable(struct error *cause, struct str reason, struct str message)
{
    OWNED(error) owned = cause;
    return new_classified(owned, &(struct parts){ERROR_CLASS_UNRECOVERABLE, reason, message, 0});
}

struct error *error_class_stale(struct error *cause)
{
    OWNED(error) owned = cause;
    return new_classified(owned, &(struct parts){.class = ERROR_CLASS_STALE});
}

/* NULL if there are no details, or none that are JSON: then the error has no class. */
static struct json_doc *read_details(const struct error *err)
{
    struct json_doc *doc = NULL;
    if (!err || !err->details)
        return NULL;
    error_free(json_read(str_from_c(err->details), &doc)); /* unreadable ones are not ours */
    return doc;
}

enum error_class error_class_of(const struct error *err)
{
    OWNED(json_doc) doc = read_details(err);
    const struct str name = json_path_str(doc ? json_doc_root(doc) : NULL, "errorClass");
    for (size_t i = 0; name.len && i < COUNT(class_names); i++)
        if (str_eq(name, class_names[i]))
            return (enum error_class)i;
    return error_is(err, ERROR_CANCELED) ? ERROR_CLASS_CANCELED : ERROR_CLASS_UNCLASSIFIED;
}

/* A member of our details; empty if the details are those of a server. */
static struct str detail(const struct error *err, struct arena *arena, const char *name)
{
    OWNED(json_doc) doc = read_details(err);
    const struct json_value *root = doc ? json_doc_root(doc) : NULL;
    return json_get(root, STR("errorClass")) ? arena_str(arena, json_path_str(root, name))
                                             : (struct str){0};
}

struct str error_class_reason(const struct error *err, struct arena *arena)
{
    return detail(err, arena, "reason");
}

struct str error_class_message(const struct error *err, struct arena *arena)
{
    const struct str own = detail(err, arena, "message");
    return own.len ? own : arena_str(arena, str_from_c(err->message));
}

duration error_class_delay(const struct error *err)
{
    OWNED(json_doc) doc = read_details(err);
    int64_t delay = 0;
    if (doc)
        (void)json_to_int64(json_get(json_doc_root(doc), STR("delay")), &delay);
    return delay;
}
