/*
 * Three steps from a body to an object: body_read() collects the bytes, read_object() parses
 * them into a document, body_decode() makes an object of a kind out of the document. The last two
 * may happen on a worker thread, which must not touch the HTTP request. The error
 * texts repeat those of kube-apiserver, including the names of its Go files, because clients and
 * tests compare them.
 *
 * The memory of a body counts against inflight_limits from the moment it is announced or read, so
 * that many slow uploads cannot exhaust the process.
 */
#include "apiserver/endpoints/body.h"

#include <string.h>

#include "apimachinery/status.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "apiserver/types/protobuf_body.h"
#include "async/compute.h"
#include "http/headers.h"
#include "http/server.h"
#include "json/edit.h"
#include "json/path.h"
#include "json/yaml/manifest.h"

/* How much of a body that cannot be read is shown to its sender. */
#define SAMPLE_MAX 64

/* Accounted for in steps of this, beyond the first. */
#define STEP INFLIGHT_LIMITS_BYTES_MIN
#define READ (16 * KILOBYTE)
#define END  16

/* The Content-Length; 0 when the client does not send one. */
static size_t announced(const struct request *request)
{
    const struct http_headers *headers = http_request_headers(request->http);
    uint64_t length;
    return str_to_uint64(http_headers_find(headers, STR("content-length")), &length)
               ? (size_t)length
               : 0;
}

/* For the next read: what is left of the announced length, and a little to find the end with. */
static size_t room_for(size_t length, size_t read)
{
    const size_t left = length > read ? length - read : 0;
    return length && left + END < READ ? left + END : READ;
}

struct error *body_read(const struct request *request, struct buf *body)
{
    const size_t length = announced(request);
    size_t held = STEP;
    body->limit = BODY_MAX + READ;
    body->secret = true;
    if (length > BODY_MAX)
        return status_too_large(BODY_MAX);
    if (length > held) {
        TRY(inflight_limits_hold(request->pass, length - held));
        held = length;
    }
    for (;;) {
        const size_t room_len = room_for(length, body->len);
        size_t len;
        char *room = buf_reserve(body, room_len);
        TRY(http_request_read(request->http, room, room_len, &len));
        if (len == 0)
            return NULL;
        buf_grow(body, len);
        if (body->len > BODY_MAX)
            return status_too_large(BODY_MAX);
        for (; held < body->len; held += STEP)
            TRY(inflight_limits_hold(request->pass, STEP));
    }
}

/* The beginning of an unreadable body in hex, as API servers show it. */
static void add_sample(struct buf *out, struct str body)
{
    const size_t len = body.len < SAMPLE_MAX ? body.len : SAMPLE_MAX;
    if (body.len == 0)
        buf_add(out, STR("<empty>"));
    for (size_t i = 0; i < len; i++)
        buf_print(out, "%02x", (unsigned)(unsigned char)body.ptr[i]);
    if (body.len > len)
        buf_add(out, STR("..."));
}

/* Takes the cause. The body is no object at all. */
static struct error *unrecognized(const struct request *request, struct str body,
                                  struct error *cause)
{
    OWNED(error) owned = cause;
    SCOPED(buf) sample = {.limit = 0};
    add_sample(&sample, body);
    return status_bad_request(
        "the object provided is unrecognized (must be of type %.*s): %s (%.*s)",
        STR_ARG(request->kind->gvk.kind), cause->message, STR_ARG(buf_str(&sample)));
}

/* As Go calls it: without the article. */
static const char *go_type_name(enum json_type type)
{
    const char *name = json_type_name(type), *blank = strchr(name, ' ');
    return blank ? blank + 1 : name;
}

static struct error *no_object(enum json_type type)
{
    return error_new(ERROR_BAD_REQUEST,
                     "couldn't get version/kind; json parse error: json: cannot unmarshal %s into "
                     "Go value of type struct { APIVersion string "
                     "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                     "\"json:\\\"kind,omitempty\\\"\" }",
                     go_type_name(type));
}

/* A message of the reader without its place, which Go does not say. */
static const char *without_place(const char *message)
{
    const char *rest = strncmp(message, "line ", 5) == 0 ? strstr(message, ": ") : NULL;
    return rest ? rest + 2 : message;
}

static struct error *read_json(struct str body, struct json_warnings *duplicates,
                               struct json_doc **ret_doc)
{
    OWNED(error) err = json_read_strict(body, duplicates, ret_doc);
    if (!err || err->code != ERROR_PARSE)
        return TAKE(err);
    return error_new(ERROR_PARSE, "couldn't get version/kind; json parse error: %s",
                     without_place(err->message));
}

static struct error *read_yaml(struct str body, struct json_warnings *duplicates,
                               struct json_doc **ret_doc)
{
    (void)duplicates; /* in YAML they are an error */
    return manifest_read_first(body, NULL, ret_doc, NULL);
}

static struct error *read_protobuf(struct str body, struct json_warnings *duplicates,
                                   struct json_doc **ret_doc)
{
    (void)duplicates; /* there are none: fields have numbers */
    return protobuf_body_read(body, ret_doc);
}

/* The types of bodies, first the one that stands for none. There is no default. */
static const struct body_format {
    struct str content_type;
    bool is_for_custom; /* kinds of CustomResourceDefinitions, too */
    struct error *(*read)(struct str body, struct json_warnings *duplicates,
                          struct json_doc **ret_doc);
} formats[] = {
    {STR_INIT(""),                                    true,  read_json    },
    {STR_INIT("application/json"),                    true,  read_json    },
    {STR_INIT("application/yaml"),                    true,  read_yaml    },
    {STR_INIT("application/vnd.kubernetes.protobuf"), false, read_protobuf},
};

static struct error *find_format(const struct request *request,
                                 const struct body_format **ret_format)
{
    const struct str type = body_content_type(request);
    for (size_t i = 0; i < COUNT(formats); i++)
        if (str_eq(type, formats[i].content_type) &&
            (formats[i].is_for_custom || !request->kind->is_custom)) {
            *ret_format = &formats[i];
            return NULL;
        }
    return error_new(ERROR_UNSUPPORTED_MEDIA_TYPE,
                     "the body of the request was in an unknown format - accepted media types "
                     "include: application/json, application/yaml, "
                     "application/vnd.kubernetes.protobuf");
}

struct error *body_check_type(const struct request *request)
{
    const struct body_format *format;
    return find_format(request, &format);
}

struct str body_content_type(const struct request *request)
{
    struct str type = http_headers_find(http_request_headers(request->http), STR("content-type"));
    struct str parameters = type;
    str_cut(&parameters, ';', &type);
    return str_trim(type);
}

static struct error *read_object(const struct request *request, const struct body_format *format,
                                 struct str body, struct json_warnings *duplicates,
                                 struct json_doc **ret_doc)
{
    OWNED(json_doc) doc = NULL;
    struct error *err = format->read(body, duplicates, &doc);
    /* Go reads null into a struct as if there were nothing in it. */
    if (!err && !request->kind->is_custom && json_type(json_doc_root(doc)) == JSON_NULL) {
        json_doc_free(TAKE(doc));
        err = json_read(STR("{}"), &doc);
    }
    if (!err && json_type(json_doc_root(doc)) != JSON_OBJECT)
        err = no_object(json_type(json_doc_root(doc)));
    if (err)
        return unrecognized(request, body, err);
    *ret_doc = TAKE(doc);
    return NULL;
}

/*
 * Compares apiVersion and kind of the body with the kind of the URL. A kind that is not registered
 * and one that cannot be converted are two different messages.
 */
static struct error *check_type(const struct kind *kind, struct arena *arena, struct str version,
                                struct str name)
{
    const struct str expected = gvk_api_version(arena, kind->gvk);
    if (str_eq(version, expected) && str_eq(name, kind->gvk.kind))
        return NULL;
    struct gvk gvk;
    OWNED(error) malformed = gvk_from_api_version(version, name, &gvk);
    const bool is_list = str_eq(version, STR("v1")) && str_eq(name, STR("List"));
    if (malformed || (!is_list && !kinds_find_kind(gvk)))
        return error_new(ERROR_BAD_REQUEST,
                         "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
                         "\"pkg/api/legacyscheme/scheme.go:30\"",
                         STR_ARG(name), STR_ARG(version));
    struct str group = kind->gvk.group, head;
    str_cut(&group, '.', &head);
    return error_new(ERROR_BAD_REQUEST, "converting (%.*s.%.*s) to (%.*s.%.*s): unknown conversion",
                     STR_ARG(gvk.version), STR_ARG(gvk.kind),
                     STR_ARG(head.len ? head : STR("core")), STR_ARG(kind->gvk.kind));
}

/* A body of a built-in kind may leave out apiVersion and kind. */
static struct error *fill_type(struct arena *arena, const struct kind *kind, struct json_doc *doc,
                               struct json_doc **ret_doc)
{
    const struct json_value *root = json_doc_root(doc);
    const struct str version = json_path_str(root, "apiVersion");
    const struct str name = json_path_str(root, "kind");
    const struct str own = gvk_api_version(arena, kind->gvk);
    TRY(check_type(kind, arena, version.len ? version : own, name.len ? name : kind->gvk.kind));
    if (version.len && name.len) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    SCOPED(json_edit) edit = {0};
    json_edit_init(&edit, root);
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), own);
    json_edit_set_str(&edit, JSON_PLACE("kind"), kind->gvk.kind);
    return json_edit_finish(&edit, ret_doc);
}

static struct error *strict_error(const struct json_warnings *unknown,
                                  const struct json_warnings *duplicates)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < unknown->count; i++)
        buf_print(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(unknown->items[i]));
    for (size_t i = 0; duplicates && i < duplicates->count; i++)
        buf_print(&text, "%s%.*s", text.len ? ", " : "", STR_ARG(duplicates->items[i]));
    return text.len ? error_new(ERROR_BAD_REQUEST, "strict decoding error: %.*s",
                                STR_ARG(buf_str(&text)))
                    : NULL;
}

/* The object without defaults. unknown may be NULL. */
static struct error *decode_typed(struct request *request, const struct kind *kind,
                                  struct json_doc *doc, struct json_warnings *unknown,
                                  struct json_doc **ret_doc)
{
    OWNED(json_doc) typed = NULL;
    if (json_type(json_doc_root(doc)) != JSON_OBJECT)
        return no_object(json_type(json_doc_root(doc)));
    if (kind->is_custom)
        typed = json_doc_ref(doc);
    else
        TRY(fill_type(request->arena, kind, doc, &typed));
    return kind->ops->decode(kind, typed, unknown, ret_doc);
}

struct error *body_decode_applied(struct request *request, const struct kind *kind,
                                  struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) decoded = NULL;
    TRY(decode_typed(request, kind, doc, NULL, &decoded));
    return kind->ops->default_applied ? kind->ops->default_applied(kind, decoded, ret_doc)
                                      : kind->ops->default_(kind, decoded, ret_doc);
}

struct error *body_decode(struct request *request, const struct kind *kind,
                          enum field_validation validation, const struct json_warnings *duplicates,
                          struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) decoded = NULL;
    struct json_warnings unknown = {.arena = request->arena};
    TRY(decode_typed(request, kind, doc, validation == VALIDATION_IGNORE ? NULL : &unknown,
                     &decoded));
    if (validation == VALIDATION_STRICT)
        TRY(strict_error(&unknown, duplicates));
    if (validation == VALIDATION_WARN) {
        for (size_t i = 0; i < unknown.count; i++)
            json_warn(&request->warnings, unknown.items[i]);
        for (size_t i = 0; duplicates && i < duplicates->count; i++)
            json_warn(&request->warnings, duplicates->items[i]);
    }
    return kind->ops->default_(kind, decoded, ret_doc);
}

/* A custom resource without a kind cannot be decoded; the message shows how the object begins. */
static struct error *unrecognized_kind(const struct kind *kind, const struct json_value *object,
                                       struct error *err)
{
    OWNED(error) owned = err;
    SCOPED(buf) text = {.limit = 0, .secret = true};
    json_write(&text, object);
    const struct str start = str_slice(buf_str(&text), 0, text.len < 30 ? text.len : 30);
    return status_bad_request(
        "the object provided is unrecognized (must be of type %.*s): %s (%.*s ...)",
        STR_ARG(kind->gvk.kind), err->message, STR_ARG(start));
}

/* 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ...'; takes the error. */
static struct error *misfit(const struct kind *kind, const struct json_value *object,
                            struct error *err)
{
    struct str version = json_path_str(object, "apiVersion");
    struct str name = json_path_str(object, "kind");
    if (err->code != ERROR_BAD_REQUEST || err->details)
        return err;
    if (kind->is_custom && name.len == 0)
        return unrecognized_kind(kind, object, err);
    const size_t slash = str_find_last_char(version, '/');
    if (slash != STR_NONE)
        version = str_skip(version, slash + 1);
    if (version.len == 0)
        version = kind->gvk.version;
    if (name.len == 0)
        name = kind->gvk.kind;
    OWNED(error) owned = err;
    return status_bad_request("%.*s in version \"%.*s\" cannot be handled as a %.*s: %s",
                              STR_ARG(name), STR_ARG(version), STR_ARG(kind->gvk.kind),
                              err->message);
}

/* A body that was read, and what becomes of it. */
struct parse {
    struct request *request;
    const struct kind *kind;
    enum field_validation validation;
    const struct body_format *format;
    struct str body;
    struct json_doc **ret_doc;
};

static struct error *parse_body(void *data)
{
    const struct parse *parse = data;
    OWNED(json_doc) doc = NULL;
    struct json_warnings duplicates = {.arena = parse->request->arena};
    TRY(read_object(parse->request, parse->format, parse->body, &duplicates, &doc));
    struct error *err = body_decode(parse->request, parse->kind, parse->validation, &duplicates,
                                    doc, parse->ret_doc);
    return err ? misfit(parse->kind, json_doc_root(doc), err) : NULL;
}

struct error *body_read_kind(struct request *request, const struct kind *kind,
                             enum field_validation validation, struct json_doc **ret_doc,
                             size_t *ret_size)
{
    SCOPED(buf) body = {.limit = 0};
    struct parse parse = {request, kind, validation, NULL, {0}, ret_doc};
    TRY(body_read(request, &body));
    TRY(find_format(request, &parse.format));
    parse.body = buf_str(&body);
    if (ret_size)
        *ret_size = body.len;
    return compute_sized(body.len, parse_body, &parse);
}
