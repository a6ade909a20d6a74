/*
 * The errors of status.h that a server makes; status.c writes and reads them.
 *
 * Messages and details are those of the constructors in apimachinery/pkg/api/errors: clients
 * compare them, and kubectl shows them. Each function makes a message and a struct details, which
 * with_details() stores in the error as JSON.
 */
#include "apimachinery/status.h"
#include "base/arena.h"
#include "base/quote.h"
#include "json/builder.h"

/* A cause of a Status. Empty members are left out. */
struct cause {
    struct str reason, message, field; /* empty ones are left out */
};

/* The details of a Status. Empty members are left out. */
struct details {
    struct str name, group, kind;
    const struct cause *causes;
    size_t cause_count;
    int64_t retry_seconds;
};

static void add_unless_empty(struct json_builder *builder, const char *key, struct str value)
{
    if (value.len)
        json_builder_add_str(builder, key, value);
}

static void build_causes(struct json_builder *builder, const struct details *details)
{
    if (details->cause_count == 0)
        return;
    json_builder_add_array(builder, "causes");
    for (size_t i = 0; i < details->cause_count; i++) {
        json_builder_object(builder);
        add_unless_empty(builder, "reason", details->causes[i].reason);
        add_unless_empty(builder, "message", details->causes[i].message);
        add_unless_empty(builder, "field", details->causes[i].field);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static struct error *with_details(struct error *err, const struct details *details)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    json_builder_object(&builder);
    add_unless_empty(&builder, "name", details->name);
    add_unless_empty(&builder, "group", details->group);
    add_unless_empty(&builder, "kind", details->kind);
    build_causes(&builder, details);
    if (details->retry_seconds > 0)
        json_builder_add_int(&builder, "retryAfterSeconds", details->retry_seconds);
    json_builder_end(&builder);
    /* When the details do not fit, the error is returned without them. */
    OWNED(error) full = json_builder_finish(&builder, &doc);
    if (full)
        return err;
    json_write(&text, json_doc_root(doc));
    err->details = buf_take(&text);
    err->retry_after = details->retry_seconds * SECOND;
    return err;
}

static struct details details_of(struct gvr gvr, struct str name)
{
    return (struct details){.name = name, .group = gvr.group, .kind = gvr.resource};
}

/* 'configmaps "x"', 'widgets.lab.example.com "x"'; without a name only the resource. */
static void add_subject(struct buf *out, struct str what, struct str group, struct str name)
{
    buf_add(out, what);
    if (group.len) {
        buf_add_char(out, '.');
        buf_add(out, group);
    }
    if (name.len) {
        buf_add_char(out, ' ');
        str_quote_go(out, name);
    }
}

/* An error about one object: front, subject, back. */
static struct error *error_about(enum error_code code, const char *front, struct gvr gvr,
                                 struct str name, struct str back)
{
    SCOPED(buf) subject = {.limit = 0};
    add_subject(&subject, gvr.resource, gvr.group, name);
    const struct details details = details_of(gvr, name);
    return with_details(
        error_new(code, "%s%.*s%.*s", front, STR_ARG(buf_str(&subject)), STR_ARG(back)), &details);
}

struct error *status_not_found(struct gvr gvr, struct str name)
{
    return error_about(ERROR_NOT_FOUND, "", gvr, name, STR(" not found"));
}

struct error *status_already_exists(struct gvr gvr, struct str name)
{
    return error_about(ERROR_ALREADY_EXISTS, "", gvr, name, STR(" already exists"));
}

struct error *status_conflict(struct gvr gvr, struct str name, struct str text)
{
    SCOPED(buf) back = {.limit = 0};
    buf_add(&back, STR(": "));
    buf_add(&back, text);
    return error_about(ERROR_CONFLICT, "Operation cannot be fulfilled on ", gvr, name,
                       buf_str(&back));
}

/* registry.OptimisticLockErrorMsg of the API server. */
struct error *status_conflict_modified(struct gvr gvr, struct str name)
{
    return status_conflict(gvr, name,
                           STR("the object has been modified; please apply your changes to the "
                               "latest version and try again"));
}

/* API servers send "details": {} with errors that are about no object. */
struct error *status_without_details(struct error *err)
{
    const struct details details = {.retry_seconds = 0};
    return with_details(err, &details);
}

struct error *status_no_such_resource(void)
{
    return status_without_details(
        error_new(ERROR_NOT_FOUND, "the server could not find the requested resource"));
}

struct error *status_method_not_allowed(void)
{
    return status_without_details(
        error_new(ERROR_METHOD_NOT_ALLOWED,
                  "the server does not allow this method on the requested resource"));
}

/* NewForbidden(): without a resource the message starts with "forbidden". */
struct error *status_forbidden(struct gvr gvr, struct str name, struct str text)
{
    SCOPED(buf) back = {.limit = 0};
    buf_add(&back, gvr.resource.len ? STR(" is forbidden: ") : STR("forbidden: "));
    buf_add(&back, text);
    return error_about(ERROR_FORBIDDEN, "", gvr, name, buf_str(&back));
}

/* The message of the NamespaceLifecycle admission plugin. */
struct error *status_namespace_terminating(struct gvr gvr, struct str name, struct str namespace)
{
    SCOPED(arena) arena = {0};
    struct details details = details_of(gvr, name);
    const struct cause cause = {
        .reason = STR("NamespaceTerminating"),
        .message = arena_print(&arena, "namespace %.*s is being terminated", STR_ARG(namespace)),
        .field = STR("metadata.namespace"),
    };
    details.causes = &cause;
    details.cause_count = 1;
    SCOPED(buf) text = {.limit = 0};
    add_subject(&text, gvr.resource, gvr.group, name);
    return with_details(error_new(ERROR_FORBIDDEN,
                                  "%.*s is forbidden: unable to create new content in namespace "
                                  "%.*s because it is being terminated",
                                  STR_ARG(buf_str(&text)), STR_ARG(namespace)),
                        &details);
}

/* The kind, not the resource, names the object here, as in NewInvalid(). */
struct error *status_invalid(struct gvk gvk, struct str name, const struct field_errors *errors)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) message = {.limit = 0};
    add_subject(&message, gvk.kind, gvk.group, STR(""));
    buf_add_char(&message, ' ');
    str_quote_go(&message, name);
    buf_add(&message, errors->count ? STR(" is invalid: ") : STR(" is invalid"));
    field_errors_write(&message, errors);
    struct cause *causes = arena_alloc_array(&arena, errors->count, sizeof(*causes));
    for (size_t i = 0; i < errors->count; i++)
        causes[i] = (struct cause){field_error_reason(errors->items[i].type), errors->items[i].body,
                                   errors->items[i].field};
    const struct details details = {.name = name,
                                    .group = gvk.group,
                                    .kind = gvk.kind,
                                    .causes = causes,
                                    .cause_count = errors->count};
    return with_details(error_new(ERROR_INVALID, "%.*s", STR_ARG(buf_str(&message))), &details);
}

struct error *status_bad_request(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_new_va(ERROR_BAD_REQUEST, format, args);
    va_end(args);
    return err;
}

struct error *status_unauthorized(void)
{
    return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
}

struct error *status_expired(struct str message)
{
    return error_new(ERROR_EXPIRED, "%.*s", STR_ARG(message));
}

struct error *status_too_large(size_t limit)
{
    return error_new(ERROR_TOO_LARGE, "Request entity too large: limit is %zu", limit);
}

/* The message is formatted once and used twice: in the message and in the cause. */
struct error *status_internal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED(error) inner = error_new_va(ERROR_INTERNAL, format, args);
    va_end(args);
    const struct cause cause = {.message = str_from_c(inner->message)};
    const struct details details = {.causes = &cause, .cause_count = 1};
    return with_details(error_new(ERROR_INTERNAL, "Internal error occurred: %s", inner->message),
                        &details);
}

struct error *status_timeout(struct str message, int64_t retry_seconds)
{
    const struct details details = {.retry_seconds = retry_seconds};
    return with_details(error_new(ERROR_TIMEOUT, "Timeout: %.*s", STR_ARG(message)), &details);
}

struct error *status_too_many_requests(struct str message, int64_t retry_seconds)
{
    const struct details details = {.retry_seconds = retry_seconds};
    return with_details(error_new(ERROR_TOO_MANY_REQUESTS, "%.*s", STR_ARG(message)), &details);
}

struct error *status_budget_forbids(struct str why, int64_t retry_seconds)
{
    const struct cause cause = {.reason = STR("DisruptionBudget"), .message = why};
    const struct details details = {
        .causes = &cause, .cause_count = 1, .retry_seconds = retry_seconds};
    return with_details(
        error_new(ERROR_TOO_MANY_REQUESTS,
                  "Cannot evict pod as it would violate the pod's disruption budget."),
        &details);
}

/* NewTooLargeResourceVersionError() of apiserver's storage: clients retry after a second. */
struct error *status_version_too_large(int64_t wanted, int64_t current)
{
    const struct cause cause = {.reason = STR("ResourceVersionTooLarge"),
                                .message = STR("Too large resource version")};
    const struct details details = {.causes = &cause, .cause_count = 1, .retry_seconds = 1};
    return with_details(error_new(ERROR_TIMEOUT,
                                  "Timeout: Too large resource version: %lld, current: %lld",
                                  (long long)wanted, (long long)current),
                        &details);
}
