/* What a well-formed answer is. Failures of the server's own are looked for by api_fixture. */
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "matrix.h"
#include "testing/test.h"

static const int codes[] = {200, 201, 400, 403, 404, 405, 406, 409, 413, 415, 422, 500};

static void fail_answer(const struct http_request *http, const char *why)
{
    test_fail(TEST_PLACE("the answer"), "%s: %d %.*s", why, http->status,
              STR_ARG(str_slice(buf_str(&http->answer), 0,
                                http->answer.len < 600 ? http->answer.len : 600)));
}

/* A path that is not served is a page of text, as from kube-apiserver. */
static bool is_page(const struct http_request *http)
{
    return http->status == 404 && !http->is_json &&
           str_eq(buf_str(&http->answer), STR("404 page not found\n"));
}

static void check_failure(const struct http_request *http, const struct json_value *doc)
{
    int64_t code = 0;
    (void)json_to_int64(json_get(doc, STR("code")), &code);
    if (!str_eq(json_path_str(doc, "kind"), STR("Status")) ||
        !str_eq(json_path_str(doc, "apiVersion"), STR("v1")) ||
        !str_eq(json_path_str(doc, "status"), STR("Failure")))
        fail_answer(http, "no Status");
    if (code != http->status)
        fail_answer(http, "another code in the Status");
    if (json_path_str(doc, "message").len == 0)
        fail_answer(http, "no message");
    if (http->status != 500 && json_path_str(doc, "reason").len == 0)
        fail_answer(http, "no reason");
}

static bool is_list(const struct matrix_resource *resource, struct str kind)
{
    return kind.len == resource->kind.len + 4 && str_starts_with(kind, resource->kind) &&
           str_ends_with(kind, STR("List"));
}

/* The object of the place, its list, one of their other forms, or what a deletion says. */
static void check_success(const struct matrix_resource *resource, const struct matrix_place *place,
                          const struct matrix_cell *cell, const struct http_request *http,
                          const struct json_value *doc)
{
    static const struct str others[] = {STR_INIT("Table"), STR_INIT("PartialObjectMetadata"),
                                        STR_INIT("PartialObjectMetadataList")};
    const struct str kind = json_path_str(doc, "kind"), version = json_path_str(doc, "apiVersion");
    for (size_t i = 0; i < COUNT(others); i++)
        if (str_eq(kind, others[i]) && str_starts_with(version, STR("meta.k8s.io/v1")))
            return;
    const bool is_done = cell->verb == MATRIX_DELETE || place->part == MATRIX_BINDING ||
                         place->part == MATRIX_EVICTION || str_eq(resource->kind, STR("Binding"));
    if (is_done && str_eq(kind, STR("Status")) &&
        str_eq(json_path_str(doc, "status"), STR("Success")))
        return;
    const bool fits = place->part == MATRIX_SCALE
                          ? str_eq(kind, STR("Scale")) && str_eq(version, STR("autoscaling/v1"))
                      : place->part == MATRIX_TOKEN
                          ? str_eq(kind, STR("TokenRequest"))
                          : (str_eq(kind, resource->kind) || is_list(resource, kind)) &&
                                str_eq(version, resource->api_version);
    if (!fits)
        fail_answer(http, "another kind");
}

void matrix_check(const struct matrix_resource *resource, const struct matrix_place *place,
                  const struct matrix_cell *cell, const struct http_request *http,
                  const struct json_value *doc)
{
    bool is_sane = false;
    OWNED(json_doc) yaml = NULL;
    for (size_t i = 0; i < COUNT(codes); i++)
        is_sane = is_sane || http->status == codes[i];
    if (!is_sane)
        fail_answer(http, "a code that does not fit");
    if (cell->verb == MATRIX_HEAD || is_page(http))
        return;
    if (cell->verb == MATRIX_WATCH && http->status == 200)
        return; /* api_fixture has read its lines */
    if (!doc && !http->is_json) {
        CHECK_OK(manifest_read_one(buf_str(&http->answer), NULL, &yaml, NULL));
        doc = json_doc_root(yaml);
    }
    if (http->status >= 400)
        check_failure(http, doc);
    else
        check_success(resource, place, cell, http, doc);
}
