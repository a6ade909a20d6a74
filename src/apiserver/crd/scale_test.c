#include "apiserver/crd/scale.h"

#include "apiserver/crd/crd_fixture_test.h"

/* What a kind with the subresource needs to have here. */
static const struct kind deployments = {.plural = STR_INIT("deployments")};

static const struct kind *kind_of(const struct crd *crd, const struct json_value *row)
{
    return str_eq(json_path_str(row, "kind"), STR("gadget")) ? crd_kind(crd, 0) : &deployments;
}

static void check_result(const struct json_value *row, const char *member, const struct error *err,
                         const struct json_doc *doc)
{
    CHECK_EQ(err ? str_from_c(err->message) : STR(""), json_path_str(row, "error"));
    fixture_check_json(doc ? json_doc_root(doc) : NULL, json_get(row, str_from_c(member)));
}

TEST(scale_read_of_every_kind)
{
    OWNED(crd) crd = fixture_crd(STR("gadgets.crd.run.example.com"));
    ROWS_FOREACH(row, "custom/scale.jsonl")
    {
        OWNED(json_doc) scale = NULL;
        OWNED(error)
        err = scale_read(kind_of(crd, row), json_get(row, STR("object")), &scale);
        check_result(row, "scale", err, scale);
    }
}

TEST(scale_write_sets_the_replicas)
{
    OWNED(crd) crd = fixture_crd(STR("gadgets.crd.run.example.com"));
    ROWS_FOREACH(row, "custom/scaled.jsonl")
    {
        OWNED(json_doc) changed = NULL;
        OWNED(error)
        err = scale_write(kind_of(crd, row), json_get(row, STR("object")),
                          json_get(row, STR("scale")), &changed);
        check_result(row, "changed", err, changed);
    }
}

/* A Scale that is written sets replicas that the object lacks, or is refused. */
TEST(scale_sets_replicas_that_an_object_lacks)
{
    OWNED(crd) crd = fixture_crd(STR("gadgets.crd.run.example.com"));
    OWNED(json_doc) object = NULL;
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) none = NULL;
    OWNED(json_doc) wanted = NULL;
    OWNED(json_doc) changed = NULL;
    bool has_custom = false;
    CHECK_OK(json_read(STR("{\"metadata\":{\"name\":\"a\"},\"spec\":{}}"), &object));
    CHECK_OK(json_read(STR("{\"spec\":{\"replicas\":3}}"), &wanted));
    ROWS_FOREACH(row, "custom/scale.jsonl")
    {
        const struct kind *kind = kind_of(crd, row);
        if (!kind->is_custom || has_custom)
            continue;
        has_custom = true;
        CHECK_FAILS(scale_read(kind, json_doc_root(object), &none), ERROR_INTERNAL,
                    "does not exist");
        CHECK_OK(scale_read_to_write(kind, json_doc_root(object), &scale));
        CHECK_FAILS(scale_write(kind, json_doc_root(object), json_doc_root(scale), &changed),
                    ERROR_BAD_REQUEST, "cannot be empty");
        CHECK_OK(scale_write(kind, json_doc_root(object), json_doc_root(wanted), &changed));
    }
    CHECK(has_custom);
}
