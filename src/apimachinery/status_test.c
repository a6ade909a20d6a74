#include "apimachinery/status.h"

#include "testing/test.h"

/* Frees the error. */
static void check_status(struct error *err, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    status_write(&text, err);
    error_free(err);
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

#define STATUS(rest) \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," rest "}"

#define ANSWER "server answered with HTTP status "

TEST(status_of_ready_made_errors)
{
    const struct gvr maps = GVR("", "v1", "configmaps");
    const struct gvr widgets = GVR("lab.example.com", "v1", "widgets");
    check_status(status_not_found(maps, STR("nope")),
                 STATUS("\"message\":\"configmaps \\\"nope\\\" not found\",\"reason\":\"NotFound\","
                        "\"details\":{\"name\":\"nope\",\"kind\":\"configmaps\"},\"code\":404"));
    check_status(status_not_found(widgets, STR("x")),
                 STATUS("\"message\":\"widgets.lab.example.com \\\"x\\\" not found\","
                        "\"reason\":\"NotFound\",\"details\":{\"name\":\"x\","
                        "\"group\":\"lab.example.com\",\"kind\":\"widgets\"},\"code\":404"));
    check_status(status_already_exists(maps, STR("x")),
                 STATUS("\"message\":\"configmaps \\\"x\\\" already exists\","
                        "\"reason\":\"AlreadyExists\",\"details\":{\"name\":\"x\","
                        "\"kind\":\"configmaps\"},\"code\":409"));
    check_status(status_conflict_modified(maps, STR("x")),
                 STATUS("\"message\":\"Operation cannot be fulfilled on configmaps \\\"x\\\": the "
                        "object has been modified; please apply your changes to the latest version "
                        "and try again\",\"reason\":\"Conflict\",\"details\":{\"name\":\"x\","
                        "\"kind\":\"configmaps\"},\"code\":409"));
    check_status(status_no_such_resource(),
                 STATUS("\"message\":\"the server could not find the requested resource\","
                        "\"reason\":\"NotFound\",\"details\":{},\"code\":404"));
    check_status(status_method_not_allowed(),
                 STATUS("\"message\":\"the server does not allow this method on the requested "
                        "resource\",\"reason\":\"MethodNotAllowed\",\"details\":{},\"code\":405"));
    check_status(status_unauthorized(), STATUS("\"message\":\"Unauthorized\",\"reason\":"
                                               "\"Unauthorized\",\"code\":401"));
    check_status(status_too_large(3145728),
                 STATUS("\"message\":\"Request entity too large: limit is 3145728\","
                        "\"reason\":\"RequestEntityTooLarge\",\"code\":413"));
    check_status(status_expired(STR("too old")), STATUS("\"message\":\"too old\",\"reason\":"
                                                        "\"Expired\",\"code\":410"));
    check_status(status_bad_request("limit %d", 1),
                 STATUS("\"message\":\"limit 1\",\"reason\":\"BadRequest\",\"code\":400"));
    check_status(status_internal("disk %s", "full"),
                 STATUS("\"message\":\"Internal error occurred: disk full\",\"reason\":"
                        "\"InternalError\",\"details\":{\"causes\":[{\"message\":\"disk full\"}]},"
                        "\"code\":500"));
    check_status(status_version_too_large(99999999, 223),
                 STATUS("\"message\":\"Timeout: Too large resource version: 99999999, current: "
                        "223\",\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
                        "\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}],"
                        "\"retryAfterSeconds\":1},\"code\":504"));
}

TEST(status_forbidden_forms)
{
    const struct gvr maps = GVR("", "v1", "configmaps"), none = GVR("", "", "");
    OWNED(error) named = status_forbidden(maps, STR("x"), STR("no"));
    OWNED(error) collection = status_forbidden(maps, STR(""), STR("no"));
    OWNED(error) path = status_forbidden(none, STR(""), STR("User \"a\" cannot get path \"/api\""));
    CHECK_EQ((const char *)named->message, "configmaps \"x\" is forbidden: no");
    CHECK_EQ((const char *)collection->message, "configmaps is forbidden: no");
    CHECK_EQ((const char *)path->message, "forbidden: User \"a\" cannot get path \"/api\"");
    CHECK_EQ((const char *)path->details, "{}");
}

TEST(status_invalid_with_causes)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    const struct str colors[] = {STR("red"), STR("green")};
    check_status(status_invalid(GVK("", "v1", "ConfigMap"), STR("z"), &errors),
                 STATUS("\"message\":\"ConfigMap \\\"z\\\" is invalid\",\"reason\":\"Invalid\","
                        "\"details\":{\"name\":\"z\",\"kind\":\"ConfigMap\"},\"code\":422"));
    field_errors_add_not_supported(&errors, STR("spec.color"), STR("pink"), colors, COUNT(colors));
    check_status(
        status_invalid(GVK("g.io", "v1", "Thing"), STR("z"), &errors),
        STATUS(
            "\"message\":\"Thing.g.io \\\"z\\\" is invalid: spec.color: Unsupported value: "
            "\\\"pink\\\": supported values: \\\"red\\\", \\\"green\\\"\",\"reason\":\"Invalid\","
            "\"details\":{\"name\":\"z\",\"group\":\"g.io\",\"kind\":\"Thing\",\"causes\":["
            "{\"reason\":\"FieldValueNotSupported\",\"message\":\"Unsupported value: "
            "\\\"pink\\\": supported values: \\\"red\\\", \\\"green\\\"\","
            "\"field\":\"spec.color\"}]},\"code\":422"));
}

TEST(status_field_error_texts)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR("{\"a\":[1]}"), &doc));
    struct field_errors errors = {.arena = &arena};
    field_errors_add(&errors, FIELD_REQUIRED, STR("a"), STR(""));
    field_errors_write(&text, &errors);
    CHECK_EQ(buf_str(&text), STR("a: Required value"));
    field_errors_add(&errors, FIELD_REQUIRED, STR("a"), STR(""));
    buf_clear(&text);
    field_errors_write(&text, &errors);
    CHECK_EQ(buf_str(&text), STR("a: Required value"));
    field_errors_add(&errors, FIELD_FORBIDDEN, STR("b"), STR("why"));
    field_errors_add_str(&errors, FIELD_DUPLICATE, STR("c[1]"), STR("x\n"), STR(""));
    field_errors_add_int(&errors, FIELD_INVALID, STR("d"), -1, STR("must be positive"));
    field_errors_add_value(&errors, FIELD_TYPE_INVALID, STR("e"), json_doc_root(doc), STR("no"));
    field_errors_add_value(&errors, FIELD_NOT_FOUND, STR("f"), NULL, STR(""));
    field_errors_add_too_long(&errors, STR("g"), 8);
    field_errors_add_too_many(&errors, STR("h"), 5, 4);
    field_errors_add_too_many(&errors, STR("i"), 2, 1);
    buf_clear(&text);
    field_errors_write(&text, &errors);
    CHECK_EQ(buf_str(&text),
             STR("[a: Required value, b: Forbidden: why, c[1]: Duplicate value: \"x\\n\", "
                 "d: Invalid value: -1: must be positive, e: Invalid value: {\"a\":[1]}: no, "
                 "f: Not found: null, g: Too long: may not be more than 8 bytes, "
                 "h: Too many: 5: must have at most 4 items, "
                 "i: Too many: 2: must have at most 1 item]"));
    CHECK_EQ(field_error_reason(errors.items[5].type), STR("FieldValueTypeInvalid"));
}

TEST(status_survives_the_wire)
{
    for (enum error_code code = ERROR_BAD_REQUEST; code < ERROR_CODES; code++) {
        OWNED(error) err = error_new(code, "text \"quoted\" of %d", (int)code);
        SCOPED(buf) text = {.limit = 0};
        const struct str name = error_code_name(code);
        TEST_CASE("%.*s", STR_ARG(name));
        err->retry_after = 1500 * MILLISECOND;
        status_write(&text, err);
        OWNED(error) again = status_read_error(status_http_status(err), buf_str(&text));
        CHECK_EQ((const char *)again->message, (const char *)err->message);
        CHECK_EQ(again->retry_after, 2 * SECOND);
        CHECK_EQ((const char *)again->details, "{\"retryAfterSeconds\":2}");
        CHECK_EQ(again->http_status, status_http_status(err));
        if (error_code_reason(code).len)
            CHECK_EQ((int)again->code, (int)code);
    }
}

TEST(status_reads_answers_of_all_kinds)
{
    const char *const conflict = STATUS("\"reason\":\"Conflict\",\"message\":\"m\"");
    const char *const odd = STATUS("\"reason\":\"Odd\",\"message\":\"m\"");
    const char *const bare = STATUS("\"message\":\"m\""), *const silent = STATUS("\"code\":403");
    const char *const busy = "Wait\n", *const escape = " a\x1b[1m\nsecret";
    const char *const secret = "{\"kind\":\"Secret\",\"data\":{\"a\":\"c2VjcmV0\"}}";
    const char *const torn = "{\"kind\":\"Secret\",\"da";
    const struct {
        const char *name;
        int http_status;
        const char *body;
        enum error_code code;
        const char *message;
    } cases[] = {
        {"reason wins",     500, conflict, ERROR_CONFLICT,          "m"                        },
        {"unknown reason",  409, odd,      ERROR_CONFLICT,          "m"                        },
        {"no reason",       404, bare,     ERROR_NOT_FOUND,         "m"                        },
        {"no message",      403, silent,   ERROR_FORBIDDEN,         "server answered Forbidden"},
        {"plain text",      429, busy,     ERROR_TOO_MANY_REQUESTS, ANSWER "429: Wait"         },
        {"empty",           502, "",       ERROR_INTERNAL,          ANSWER "502"               },
        {"first line only", 404, escape,   ERROR_NOT_FOUND,         ANSWER "404: a\\x1b[1m"    },
        {"other JSON",      500, secret,   ERROR_INTERNAL,          ANSWER "500"               },
        {"torn JSON",       400, torn,     ERROR_BAD_REQUEST,       ANSWER "400"               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(error) err = status_read_error(cases[i].http_status, str_from_c(cases[i].body));
        CHECK_EQ((int)err->code, (int)cases[i].code);
        CHECK_EQ((const char *)err->message, cases[i].message);
        CHECK_EQ(err->http_status, cases[i].http_status);
    }
}

TEST(status_bounds_what_it_shows)
{
    static char body[100000];
    memset(body, 'x', sizeof(body));
    OWNED(error) err = status_read_error(500, str_from(body, sizeof(body)));
    CHECK(strlen(err->message) < 400);
}

TEST(status_of_a_watch_event)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(STR(STATUS("\"message\":\"too old\",\"reason\":\"Expired\",\"code\":410")),
                       &doc));
    CHECK(status_is_status(json_doc_root(doc)) && !status_is_status(NULL));
    OWNED(error) err = status_to_error(json_doc_root(doc), 0);
    CHECK(error_is(err, ERROR_EXPIRED));
    CHECK_EQ(err->http_status, 410);
    CHECK(!err->details);
}
