/*
 * Any bytes may be refused; what is accepted survives a round trip: the JSON of each document, read
 * as a manifest again, is the same document. Refusals name a class, and both ways of reading agree
 * on what is a mapping.
 */
#include "fuzz.h"
#include "json/json.h"
#include "json/yaml/manifest.h"
#include "testing/test.h"

/* Small ones, so that the fuzzer reaches them with small inputs. */
static const struct manifest_options limits = {
    .text_max = 1 << 20,
    .documents_max = 64,
    .nodes_max = 1 << 16,
    .memory_max = 1 << 20,
};

static void check_fault(const struct error *err, const struct manifest_fault *fault)
{
    CHECK(fault->error > MANIFEST_FINE && fault->error < MANIFEST_ERRORS);
    CHECK_EQ(error_is(err, ERROR_TOO_LARGE), fault->error == MANIFEST_TOO_LARGE);
    CHECK(err->message[0]);
}

/* Without limits of its own: JSON may be longer than the YAML it came from. */
static void check_round_trip(const struct json_doc *doc)
{
    SCOPED(buf) first = {0};
    SCOPED(buf) second = {0};
    SCOPED(manifest_list) again = {0};
    json_write(&first, json_doc_root(doc));
    CHECK_OK(manifest_read(buf_str(&first), NULL, &again, NULL));
    CHECK_EQ(again.count, 1);
    json_write(&second, json_doc_root(again.docs[0]));
    CHECK_EQ(buf_str(&second), buf_str(&first));
}

static void check_list(struct str text)
{
    struct manifest_fault fault = {0};
    SCOPED(manifest_list) list = {0};
    OWNED(error) err = manifest_read(text, &limits, &list, &fault);
    if (err)
        check_fault(err, &fault);
    for (size_t i = 0; i < list.count; i++) {
        CHECK_EQ((int)json_type(json_doc_root(list.docs[i])), JSON_OBJECT);
        check_round_trip(list.docs[i]);
    }
}

static void check_one(struct str text)
{
    struct manifest_fault fault = {0};
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = manifest_read_one(text, &limits, &doc, &fault);
    if (err)
        check_fault(err, &fault);
    else
        CHECK(json_doc_root(doc));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    check_list(text);
    check_one(text);
    return 0;
}
