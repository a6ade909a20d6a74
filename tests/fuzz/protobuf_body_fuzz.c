/*
 * Any bytes are refused, or give an object that is valid JSON and names its kind. Bytes without the
 * magic are tried behind it as well, so that mutations need not keep it.
 */
#include "apiserver/types/protobuf_body.h"
#include "fuzz.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

static void check(struct str body)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) again = NULL;
    SCOPED(buf) text = {.limit = 0};
    OWNED(error) err = protobuf_body_read(body, &doc);
    if (err) {
        CHECK(!doc);
        CHECK(err->code == ERROR_BAD_REQUEST || err->code == ERROR_UNSUPPORTED_MEDIA_TYPE);
        return;
    }
    CHECK(json_path_str(json_doc_root(doc), "kind").len > 0);
    json_write(&text, json_doc_root(doc));
    CHECK_OK(json_read(buf_str(&text), &again));
    CHECK(json_equal(json_doc_root(doc), json_doc_root(again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str body = {(const char *)data, size};
    SCOPED(buf) with_magic = {.limit = 0};
    check(body);
    buf_add(&with_magic, STR("k8s\0"));
    buf_add(&with_magic, body);
    check(buf_str(&with_magic));
    return 0;
}
