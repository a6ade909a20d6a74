/*
 * ListOptions, CreateOptions, UpdateOptions, PatchOptions and DeleteOptions of meta.k8s.io/v1, read
 * and validated as in k8s.io/apimachinery. Each reader collects all errors and reports them as one
 * 422 about the options' kind.
 *
 * The combinations of resourceVersion, resourceVersionMatch, continue and sendInitialEvents that
 * are allowed differ between list and watch; check_match_of_list() and check_match_of_watch() hold
 * both tables. They follow ValidateListOptions.
 */
#include "apiserver/endpoints/options.h"

#include "apimachinery/status.h"
#include "apiserver/endpoints/kind_fields.h"
#include "apiserver/registry/kind.h"
#include "base/quote.h"
#include "http/headers.h"
#include "http/server.h"
#include "json/path.h"

#define MANAGER_MAX 128

/* NULL when there are no errors. */
static struct error *invalid_options(const char *kind, const struct field_errors *errors)
{
    const struct gvk gvk = {STR("meta.k8s.io"), STR("v1"), str_from_c(kind)};
    return errors->count ? status_invalid(gvk, STR(""), errors) : NULL;
}

/* An absent or empty parameter leaves the number as it is. */
static struct error *read_number(const struct query *query, struct str name, int64_t *ret_number)
{
    struct str text;
    if (!query_find(query, name, &text) || text.len == 0 || str_to_int64(text, ret_number))
        return NULL;
    SCOPED(buf) quoted = {.limit = 0};
    str_quote_go(&quoted, text);
    return status_bad_request("strconv.ParseInt: parsing %.*s: invalid syntax",
                              STR_ARG(buf_str(&quoted)));
}

static bool read_flag(const struct query *query, struct str name, bool *ret_present)
{
    struct str text;
    *ret_present = query_find(query, name, &text);
    return query_is_true(query, name);
}

static void check_match_of_watch(const struct list_options *options, struct str match,
                                 struct field_errors *errors)
{
    static const struct str supported[] = {STR_INIT("NotOlderThan")};
    const struct str path = STR("resourceVersionMatch");
    if (match.len && !options->has_initial_events)
        field_errors_add(errors, FIELD_FORBIDDEN, path,
                         STR("resourceVersionMatch is forbidden for watch unless "
                             "sendInitialEvents is provided"));
    if (options->has_initial_events && !str_eq(match, supported[0]))
        field_errors_add(
            errors, FIELD_FORBIDDEN, path,
            STR("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (match.len && !str_eq(match, supported[0]))
        field_errors_add_not_supported(errors, path, match, supported, COUNT(supported));
}

static void check_match_of_list(const struct list_options *options, struct str match,
                                struct field_errors *errors)
{
    static const struct str supported[] = {STR_INIT("Exact"), STR_INIT("NotOlderThan"),
                                           STR_INIT("")};
    const struct str path = STR("resourceVersionMatch");
    if (options->has_initial_events)
        field_errors_add(errors, FIELD_FORBIDDEN, STR("sendInitialEvents"),
                         STR("sendInitialEvents is forbidden for list"));
    if (match.len == 0)
        return;
    if (options->version.len == 0)
        field_errors_add(
            errors, FIELD_FORBIDDEN, path,
            STR("resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (options->continue_token.len)
        field_errors_add(errors, FIELD_FORBIDDEN, path,
                         STR("resourceVersionMatch is forbidden when continue is provided"));
    if (!str_eq(match, supported[0]) && !str_eq(match, supported[1]))
        field_errors_add_not_supported(errors, path, match, supported, COUNT(supported));
    if (str_eq(match, supported[0]) && str_eq(options->version, STR("0")))
        field_errors_add(
            errors, FIELD_FORBIDDEN, path,
            STR("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
}

/*
 * A resourceVersion that is no number is 400 on a list and 500 on a watch, as in kube-apiserver.
 * Beside a continue token it is not read, only refused.
 */
static struct error *read_revision(const struct request *request, struct list_options *options)
{
    uint64_t number;
    if (options->version.len == 0 || (options->continue_token.len && request->verb != VERB_WATCH))
        return NULL;
    if (str_to_uint64(options->version, &number)) {
        options->revision = number > INT64_MAX ? INT64_MAX : (int64_t)number;
        return NULL;
    }
    SCOPED(buf) quoted = {.limit = 0};
    str_quote_go(&quoted, options->version);
    struct error *err = error_new(
        request->verb == VERB_WATCH ? ERROR_UNKNOWN : ERROR_BAD_REQUEST,
        "%sresourceVersion: Invalid value: %.*s: strconv.ParseUint: parsing %.*s: invalid syntax",
        request->verb == VERB_WATCH ? "" : "invalid resource version: ", STR_ARG(buf_str(&quoted)),
        STR_ARG(buf_str(&quoted)));
    if (request->verb == VERB_WATCH)
        err->http_status = 500;
    return err;
}

/* A watch of one object by its path is a watch with a field selector on its name. */
static struct str fields_of(const struct request *request)
{
    const struct str fields = query_get(&request->query, STR("fieldSelector"));
    if (request->verb != VERB_WATCH || request->name.len == 0)
        return fields;
    SCOPED(buf) text = {.limit = 0};
    struct field_term term = {.field = STR("metadata.name"), .value = request->name};
    field_selector_write(&text, &(struct field_selector){&term, 1});
    return arena_print(request->arena, "%.*s%s%.*s", STR_ARG(buf_str(&text)), fields.len ? "," : "",
                       STR_ARG(fields));
}

static struct error *read_selectors(const struct request *request, struct list_options *options)
{
    const struct str labels = query_get(&request->query, STR("labelSelector"));
    const struct str fields = fields_of(request);
    if (labels.len)
        TRY(selector_read(request->arena, labels, &options->labels));
    if (fields.len)
        TRY(field_selector_read(request->arena, fields, &options->fields));
    options->has_labels = labels.len > 0;
    options->has_fields = options->fields.count > 0;
    return NULL;
}

/* Time-outs are limited to a day. */
struct error *list_options_read(const struct request *request, struct list_options *ret_options)
{
    const struct query *query = &request->query;
    struct list_options options = {0};
    struct field_errors errors = {.arena = request->arena};
    int64_t limit = 0, timeout = 0;
    bool present;
    TRY(read_number(query, STR("limit"), &limit));
    TRY(read_number(query, STR("timeoutSeconds"), &timeout));
    options.limit = limit > 0 ? (size_t)limit : 0;
    options.timeout = timeout > 0 ? (timeout > 86400 ? 86400 : timeout) * SECOND : 0;
    options.continue_token = query_get(query, STR("continue"));
    options.version = query_get(query, STR("resourceVersion"));
    options.bookmarks = read_flag(query, STR("allowWatchBookmarks"), &present);
    options.initial_events =
        read_flag(query, STR("sendInitialEvents"), &options.has_initial_events);
    const struct str match = query_get(query, STR("resourceVersionMatch"));
    TRY(read_selectors(request, &options));
    if (request->verb == VERB_WATCH)
        check_match_of_watch(&options, match, &errors);
    else
        check_match_of_list(&options, match, &errors);
    TRY(invalid_options("ListOptions", &errors));
    if (options.has_fields)
        TRY(kind_fields_check(request->kind, &options.fields));
    options.match = str_eq(match, STR("Exact"))          ? MATCH_EXACT
                    : str_eq(match, STR("NotOlderThan")) ? MATCH_NOT_OLDER_THAN
                                                         : MATCH_UNSET;
    TRY(read_revision(request, &options));
    *ret_options = options;
    return NULL;
}

/* The only value is "All". All values that were given stand in the message. */
static void check_dry_run(const struct query *query, struct arena *arena,
                          struct field_errors *errors, bool *ret_dry_run)
{
    SCOPED(buf) values = {.limit = 0};
    bool wrong = false;
    for (size_t i = 0; i < query->count; i++) {
        if (!str_eq(query->items[i].name, STR("dryRun")))
            continue;
        const struct str value = query->items[i].value;
        wrong = wrong || !str_eq(value, STR("All"));
        *ret_dry_run = true;
        buf_add_char(&values, values.len ? ',' : '[');
        buf_add_json_string(&values, value);
    }
    if (!wrong)
        return;
    buf_add(&values, STR("]: supported values: \"All\""));
    struct field_error *error = NULL;
    field_errors_add(errors, FIELD_NOT_SUPPORTED, STR("dryRun"), STR(""));
    error = &errors->items[errors->count - 1];
    error->body = arena_print(arena, "Unsupported value: %.*s", STR_ARG(buf_str(&values)));
}

/* fieldManager: at most 128 bytes, printable. */
static void check_manager(struct str manager, struct field_errors *errors)
{
    if (manager.len > MANAGER_MAX)
        field_errors_add_too_long(errors, STR("fieldManager"), MANAGER_MAX);
    for (size_t i = 0; i < manager.len; i++)
        if ((unsigned char)manager.ptr[i] < 0x20 || manager.ptr[i] == 0x7f) {
            field_errors_add_str(errors, FIELD_INVALID, STR("fieldManager"), manager,
                                 arena_print(errors->arena,
                                             "invalid character U+%04X (at position %zu)",
                                             (unsigned)(unsigned char)manager.ptr[i], i));
            break;
        }
}

static enum field_validation check_validation(struct str value, struct field_errors *errors)
{
    static const struct str supported[] = {STR_INIT(""), STR_INIT("Ignore"), STR_INIT("Strict"),
                                           STR_INIT("Warn")};
    if (str_eq(value, STR("Ignore")))
        return VALIDATION_IGNORE;
    if (str_eq(value, STR("Strict")))
        return VALIDATION_STRICT;
    if (value.len && !str_eq(value, STR("Warn")))
        field_errors_add_not_supported(errors, STR("fieldValidation"), value, supported,
                                       COUNT(supported));
    return VALIDATION_WARN;
}

/*
 * Without fieldManager the manager is the program's name: the User-Agent up to the first slash, cut
 * to a valid manager.
 */
static struct str manager_of_agent(const struct request *request)
{
    struct str agent = http_headers_find(http_request_headers(request->http), STR("user-agent"));
    struct str name;
    str_cut(&agent, '/', &name);
    name = str_slice(name, 0, name.len < MANAGER_MAX ? name.len : MANAGER_MAX);
    while (name.len && !str_is_utf8(name))
        name.len--;
    return name.len ? name : STR("unknown");
}

struct error *write_options_read(const struct request *request, bool is_apply,
                                 struct write_options *ret_options)
{
    const struct query *query = &request->query;
    struct write_options options = {0};
    struct field_errors errors = {.arena = request->arena};
    bool has_force;
    check_dry_run(query, request->arena, &errors, &options.dry_run);
    options.validation = check_validation(query_get(query, STR("fieldValidation")), &errors);
    options.force = read_flag(query, STR("force"), &has_force);
    if (has_force && !is_apply && request->verb == VERB_PATCH)
        field_errors_add(&errors, FIELD_FORBIDDEN, STR("force"),
                         STR("may not be specified for non-apply patch"));
    options.manager = query_get(query, STR("fieldManager"));
    options.has_manager = options.manager.len > 0;
    if (is_apply && !options.has_manager)
        field_errors_add(&errors, FIELD_REQUIRED, STR("fieldManager"),
                         STR("is required for apply patch"));
    check_manager(options.manager, &errors);
    TRY(invalid_options(request->verb == VERB_CREATE   ? "CreateOptions"
                        : request->verb == VERB_UPDATE ? "UpdateOptions"
                                                       : "PatchOptions",
                        &errors));
    if (!options.has_manager)
        options.manager = manager_of_agent(request);
    *ret_options = options;
    return NULL;
}

static void begin_options(struct json_builder *builder, const char *kind, bool dry_run)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "kind", str_from_c(kind));
    json_builder_add_str(builder, "apiVersion", STR("meta.k8s.io/v1"));
    if (!dry_run)
        return;
    json_builder_add_array(builder, "dryRun");
    json_builder_str(builder, STR("All"));
    json_builder_end(builder);
}

/* A patch is told as the update or the create that it makes. */
struct error *write_options_doc(const struct request *request, const struct write_options *options,
                                bool is_create, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct str validation = query_get(&request->query, STR("fieldValidation"));
    begin_options(&builder, is_create ? "CreateOptions" : "UpdateOptions", options->dry_run);
    if (options->has_manager)
        json_builder_add_str(&builder, "fieldManager", options->manager);
    if (validation.len)
        json_builder_add_str(&builder, "fieldValidation", validation);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

struct error *delete_options_doc(const struct delete_options *options, struct json_doc **ret_doc)
{
    static const char *const policies[] = {
        [PROPAGATION_UNSET] = NULL,
        [PROPAGATION_BACKGROUND] = "Background",
        [PROPAGATION_FOREGROUND] = "Foreground",
        [PROPAGATION_ORPHAN] = "Orphan",
    };
    SCOPED(json_builder) builder = {0};
    begin_options(&builder, "DeleteOptions", options->dry_run);
    if (options->has_grace)
        json_builder_add_int(&builder, "gracePeriodSeconds", options->grace_seconds);
    if (options->uid.len || options->resource_version.len) {
        json_builder_add_object(&builder, "preconditions");
        if (options->uid.len)
            json_builder_add_str(&builder, "uid", options->uid);
        if (options->resource_version.len)
            json_builder_add_str(&builder, "resourceVersion", options->resource_version);
        json_builder_end(&builder);
    }
    if (policies[options->propagation])
        json_builder_add_str(&builder, "propagationPolicy",
                             str_from_c(policies[options->propagation]));
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/*
 * The query parameters of a DELETE in the form of a DeleteOptions body, so that one reader is
 * enough.
 */
static struct error *delete_query(const struct request *request, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    struct str policy;
    int64_t grace = 0;
    bool has_orphan;
    TRY(read_number(&request->query, STR("gracePeriodSeconds"), &grace));
    const bool orphan = read_flag(&request->query, STR("orphanDependents"), &has_orphan);
    json_builder_object(&builder);
    if (query_get(&request->query, STR("gracePeriodSeconds")).len)
        json_builder_add_int(&builder, "gracePeriodSeconds", grace);
    if (has_orphan)
        json_builder_add_bool(&builder, "orphanDependents", orphan);
    if (query_find(&request->query, STR("propagationPolicy"), &policy))
        json_builder_add_str(&builder, "propagationPolicy", policy);
    json_builder_add_array(&builder, "dryRun");
    for (size_t i = 0; i < request->query.count; i++)
        if (str_eq(request->query.items[i].name, STR("dryRun")))
            json_builder_str(&builder, request->query.items[i].value);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

static void check_delete_dry_run(const struct json_value *body, struct field_errors *errors,
                                 bool *ret_dry_run)
{
    const struct json_value *list = json_get(body, STR("dryRun")), *item;
    bool wrong = false;
    JSON_FOREACH (key, item, list) {
        *ret_dry_run = true;
        wrong = wrong || !str_eq(json_to_str(item), STR("All"));
    }
    if (!wrong)
        return;
    field_errors_add(errors, FIELD_NOT_SUPPORTED, STR("dryRun"), STR(""));
    struct str text = json_write_arena(errors->arena, list);
    errors->items[errors->count - 1].body = arena_print(
        errors->arena, "Unsupported value: %.*s: supported values: \"All\"", STR_ARG(text));
}

/* orphanDependents is the older form of propagationPolicy; only one of them may be set. */
static enum propagation check_propagation(const struct json_value *body,
                                          struct field_errors *errors)
{
    static const struct str names[] = {STR_INIT("Foreground"), STR_INIT("Background"),
                                       STR_INIT("Orphan"), STR_INIT("nil")};
    static const enum propagation values[] = {PROPAGATION_FOREGROUND, PROPAGATION_BACKGROUND,
                                              PROPAGATION_ORPHAN};
    const struct str path = STR("propagationPolicy");
    const struct json_value *policy = json_get(body, path);
    bool orphan;
    const bool has_orphan = json_to_bool(json_get(body, STR("orphanDependents")), &orphan);
    if (json_type(policy) != JSON_STRING)
        return has_orphan ? (orphan ? PROPAGATION_ORPHAN : PROPAGATION_BACKGROUND)
                          : PROPAGATION_UNSET;
    if (has_orphan)
        field_errors_add_str(errors, FIELD_INVALID, path, json_to_str(policy),
                             STR("orphanDependents and deletionPropagation cannot be both set"));
    for (size_t i = 0; i < COUNT(values); i++)
        if (str_eq(json_to_str(policy), names[i]))
            return values[i];
    field_errors_add_not_supported(errors, path, json_to_str(policy), names, COUNT(names));
    return PROPAGATION_UNSET;
}

static struct error *check_delete_kind(const struct json_value *body)
{
    const struct str kind = json_path_str(body, "kind");
    const struct str version = json_path_str(body, "apiVersion");
    if (kind.len == 0 || str_eq(kind, STR("DeleteOptions")))
        return NULL;
    return status_bad_request("no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
                              "\"pkg/apis/meta/internalversion/scheme/register.go:27\"",
                              STR_ARG(kind), STR_ARG(version));
}

struct error *delete_options_read(const struct request *request, const struct json_value *body,
                                  struct delete_options *ret_options)
{
    OWNED(json_doc) query = NULL;
    struct delete_options options = {0};
    struct field_errors errors = {.arena = request->arena};
    if (!body) {
        TRY(delete_query(request, &query));
        body = json_doc_root(query);
    }
    TRY(check_delete_kind(body));
    options.propagation = check_propagation(body, &errors);
    check_delete_dry_run(body, &errors, &options.dry_run);
    TRY(invalid_options("DeleteOptions", &errors));
    options.has_grace =
        json_to_int64(json_get(body, STR("gracePeriodSeconds")), &options.grace_seconds);
    options.uid = arena_str(request->arena, json_path_str(body, "preconditions.uid"));
    options.resource_version =
        arena_str(request->arena, json_path_str(body, "preconditions.resourceVersion"));
    *ret_options = options;
    return NULL;
}
