/*
 * Status, the form in which Kubernetes sends errors: writing it, and reading it back into an error.
 *
 * status_make.c has the errors that a server makes. Reading must cope with whatever a server or a
 * proxy sends: a Status, other JSON, plain text. The code comes from the reason if it is known,
 * else from the HTTP status.
 */
#include "apimachinery/status.h"

#include "base/memory.h"
#include "base/quote.h"
#include "json/builder.h"
#include "json/path.h"

/*
 * Longer details are dropped. A Status with that many causes has their texts in its message, too.
 */
#define DETAILS_MAX (256 * KILOBYTE)

/* How much of a body that is not JSON is shown in a message. */
#define BODY_SHOWN_MAX 256

/* An error that came from another server without a known reason keeps its HTTP status. */
int status_http_status(const struct error *err)
{
    if (err->code == ERROR_UNKNOWN && err->http_status >= 400)
        return err->http_status;
    return error_code_http_status(err->code);
}

/* Codes of this program have no reason; they get that of their HTTP status. */
static struct str reason_of(const struct error *err)
{
    const struct str reason = error_code_reason(err->code);
    if (reason.len || err->code == ERROR_UNKNOWN)
        return reason;
    return error_code_reason(error_code_from_http_status(status_http_status(err)));
}

/*
 * The details of the error, and the time to wait if the details do not have it. Details that are
 * not JSON are left out.
 */
static void build_details(struct json_builder *builder, const struct error *err)
{
    OWNED(json_doc) doc = NULL;
    if (err->details)
        error_free(json_read(str_from_c(err->details), &doc)); /* no JSON: no details */
    const struct json_value *value, *details = json_doc_root(doc);
    const int64_t seconds = err->retry_after / SECOND + (err->retry_after % SECOND > 0);
    if (json_type(details) != JSON_OBJECT && seconds <= 0)
        return;
    json_builder_add_object(builder, "details");
    if (json_type(details) == JSON_OBJECT)
        JSON_FOREACH (key, value, details) {
            json_builder_key(builder, key);
            json_builder_value(builder, value);
        }
    if (seconds > 0 && !json_get(details, STR("retryAfterSeconds")))
        json_builder_add_int(builder, "retryAfterSeconds", seconds);
    json_builder_end(builder);
}

/* The order of members is that of the Go type. */
struct json_doc *status_doc(const struct error *err)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct json_doc *doc = NULL;
    const struct str reason = reason_of(err);
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("Status"));
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    json_builder_add_object(&builder, "metadata");
    json_builder_end(&builder);
    json_builder_add_str(&builder, "status", STR("Failure"));
    json_builder_add_str(&builder, "message", str_from_c(err->message));
    if (reason.len)
        json_builder_add_str(&builder, "reason", reason);
    build_details(&builder, err);
    json_builder_add_int(&builder, "code", status_http_status(err));
    json_builder_end(&builder);
    /* Messages and details are bounded, so no limit can be reached. */
    error_free(json_builder_finish(&builder, &doc));
    return doc;
}

void status_write(struct buf *out, const struct error *err)
{
    OWNED(json_doc) doc = status_doc(err);
    json_write(out, json_doc_root(doc));
}

bool status_is_status(const struct json_value *value)
{
    return str_eq(json_path_str(value, "kind"), STR("Status")) &&
           str_eq(json_path_str(value, "apiVersion"), STR("v1"));
}

/* http_status is 0 for a Status in a watch event; its own code is used then. */
static enum error_code code_of(const struct json_value *status, int http_status)
{
    const enum error_code code = error_code_from_reason(json_path_str(status, "reason"));
    if (code != ERROR_UNKNOWN)
        return code;
    int64_t number = http_status;
    if (http_status == 0)
        (void)json_to_int64(json_get(status, STR("code")), &number);
    return error_code_from_http_status(number > 0 && number < 1000 ? (int)number : 0);
}

static void keep_details(struct error *err, const struct json_value *details)
{
    int64_t seconds = 0;
    if (json_type(details) != JSON_OBJECT)
        return;
    (void)json_to_int64(json_get(details, STR("retryAfterSeconds")), &seconds);
    if (seconds > 0)
        err->retry_after = seconds > FOREVER / SECOND ? FOREVER : seconds * SECOND;
    SCOPED(buf) text = {.limit = DETAILS_MAX};
    json_write(&text, details);
    if (!text.overflowed)
        err->details = buf_take(&text);
}

struct error *status_to_error(const struct json_value *status, int http_status)
{
    const struct str message = json_path_str(status, "message");
    const enum error_code code = code_of(status, http_status);
    const struct str name = error_code_name(code);
    struct error *err = message.len ? error_new(code, "%.*s", STR_ARG(message))
                                    : error_new(code, "server answered %.*s", STR_ARG(name));
    int64_t number = http_status;
    if (http_status == 0)
        (void)json_to_int64(json_get(status, STR("code")), &number);
    err->http_status = number > 0 && number < 1000 ? (int)number : 0;
    keep_details(err, json_get(status, STR("details")));
    return err;
}

/* The first line of a plain text, escaped. */
static void add_first_line(struct buf *out, struct str body)
{
    struct str rest = str_trim(body), line;
    str_cut(&rest, '\n', &line);
    line = str_trim(line);
    while (line.len && out->len < BODY_SHOWN_MAX) {
        char piece[QUOTE_PIECE_MAX];
        const size_t len = quote_next_go(&line, piece);
        buf_add(out, str_from(piece, len));
    }
    if (line.len)
        buf_add(out, STR("…"));
}

static bool looks_like_json(struct str body)
{
    const struct str text = str_trim(body);
    return text.len && (text.ptr[0] == '{' || text.ptr[0] == '[' || text.ptr[0] == '"');
}

/* The body of an unknown JSON answer is not shown: it may be a Secret. */
struct error *status_read_error(int http_status, struct str body)
{
    OWNED(json_doc) doc = NULL;
    if (looks_like_json(body))
        error_free(json_read(body, &doc));
    if (status_is_status(json_doc_root(doc)))
        return status_to_error(json_doc_root(doc), http_status);
    SCOPED(buf) text = {.limit = 0};
    if (!looks_like_json(body))
        add_first_line(&text, body);
    const struct str line = buf_str(&text);
    struct error *err = error_new(error_code_from_http_status(http_status),
                                  "server answered with HTTP status %d%s%.*s", http_status,
                                  line.len ? ": " : "", STR_ARG(line));
    err->http_status = http_status;
    return err;
}
