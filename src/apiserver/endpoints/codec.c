/*
 * Stored text is JSON in the storage version of its kind. Most objects are shown exactly as they
 * are stored and are copied without parsing; this is what makes lists cheap. has_forms() tells
 * which kinds need a conversion.
 *
 * Lists are written member by member and not built as a document, because they can be large. The
 * members have the order that kube-apiserver gives them.
 */
#include "apiserver/endpoints/codec.h"

#include "apimachinery/object.h"
#include "apiserver/crd/crd.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/registry/kind_autoscaler.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/compute.h"
#include "base/random.h"
#include "json/builder.h"
#include "json/path.h"

static const struct str api_version_meta = STR_INIT("meta.k8s.io/v1");

/* Custom resources are shown in several versions, as are some others, Events in two groups. */
static bool has_forms(const struct kind *kind)
{
    return kind->is_custom || kind->has_two_groups || kind->is_converted;
}

struct error *codec_read_stored(const struct kind *kind, const struct object_text *text,
                                struct json_doc **ret_doc)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_read(object_text_json(text), &doc), "read stored %.*s", STR_ARG(kind->plural));
    if (has_forms(kind) && kind->ops->present)
        return kind->ops->present(kind, doc, ret_doc);
    *ret_doc = TAKE(doc);
    return NULL;
}

static struct error *write_text(const struct json_value *object, struct object_text **ret_text)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    json_write_with(&text, object, JSON_WRITE_ESCAPE_HTML);
    TRY(buf_check(&text));
    return object_text_from_json(buf_str(&text), ret_text);
}

/* Some kinds are converted to their storage version first. */
struct error *codec_write_stored(const struct kind *kind, struct json_doc *doc,
                                 struct object_text **ret_text)
{
    OWNED(json_doc) converted = NULL;
    if (!kind->is_custom && !kind->is_converted)
        return write_text(json_doc_root(doc), ret_text);
    if (kind->is_custom)
        TRY(crd_to_storage(kind, doc, &converted));
    else
        TRY(kind_autoscaler_to_storage(json_doc_root(doc), &converted));
    return write_text(json_doc_root(converted), ret_text);
}

/* Nobody can know it and write it into the object. */
static int64_t draw_version(void)
{
    uint64_t number;
    random_bytes_secure(&number, sizeof(number));
    return (int64_t)(number >> 2 | UINT64_C(1) << 62);
}

struct error *codec_write_edit(const struct kind *kind, struct json_doc *doc,
                               enum store_action action, struct store_edit *edit,
                               struct json_doc **ret_doc)
{
    OWNED(json_doc) versioned = NULL;
    TRY(metadata_set_version(doc, edit->revision ? edit->revision : draw_version(), &versioned));
    TRY(codec_write_stored(kind, versioned, &edit->text));
    edit->action = action;
    if (ret_doc)
        *ret_doc = TAKE(versioned);
    return NULL;
}

/* Table and PartialObjectMetadata exist in v1 and v1beta1 of meta.k8s.io. */
static struct str table_api_version(const struct codec *codec)
{
    return str_eq(codec->format.table_version, STR("v1beta1")) ? STR("meta.k8s.io/v1beta1")
                                                               : api_version_meta;
}

static void add_metadata_object(struct json_builder *builder, const struct codec *codec,
                                const struct json_value *object)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "kind", STR("PartialObjectMetadata"));
    json_builder_add_str(builder, "apiVersion", table_api_version(codec));
    json_builder_add_value(builder, "metadata", json_get(object, STR("metadata")));
    json_builder_end(builder);
}

/* A row carries the object, its metadata or neither, as ?includeObject= says. */
static void add_row(struct json_builder *builder, const struct codec *codec,
                    const struct json_value *object)
{
    json_builder_object(builder);
    json_builder_add_array(builder, "cells");
    codec->kind->ops->cells(codec->kind, object, codec->now, builder);
    json_builder_end(builder);
    if (codec->format.include != INCLUDE_NONE) {
        json_builder_key(builder, STR("object"));
        if (codec->format.include == INCLUDE_OBJECT)
            json_builder_value(builder, object);
        else
            add_metadata_object(builder, codec, object);
    }
    json_builder_end(builder);
}

static void add_columns(struct json_builder *builder, const struct kind *kind)
{
    json_builder_array(builder);
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct kind_column *column = &kind->columns[i];
        json_builder_object(builder);
        json_builder_add_str(builder, "name", str_from_c(column->name));
        json_builder_add_str(builder, "type", str_from_c(column->type));
        json_builder_add_str(builder, "format", str_from_c(column->format));
        json_builder_add_str(builder, "description", str_from_c(column->description));
        json_builder_add_int(builder, "priority", column->priority);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

/* Appends the finished document with the escapes that Go's encoder uses. */
static struct error *write_built(struct json_builder *builder, struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_builder_finish(builder, &doc), "write answer");
    json_write_with(out, json_doc_root(doc), JSON_WRITE_ESCAPE_HTML);
    return buf_check(out);
}

static struct error *write_table(struct buf *out, const struct codec *codec,
                                 const struct json_value *object, bool with_columns)
{
    SCOPED(json_builder) builder = {0};
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("Table"));
    json_builder_add_str(&builder, "apiVersion", table_api_version(codec));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "resourceVersion",
                         json_path_str(object, "metadata.resourceVersion"));
    json_builder_end(&builder);
    json_builder_key(&builder, STR("columnDefinitions"));
    if (with_columns)
        add_columns(&builder, codec->kind);
    else
        json_builder_null(&builder);
    json_builder_add_array(&builder, "rows");
    add_row(&builder, codec, object);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return write_built(&builder, out);
}

static struct error *write_metadata(struct buf *out, const struct codec *codec,
                                    const struct json_value *object)
{
    SCOPED(json_builder) builder = {0};
    add_metadata_object(&builder, codec, object);
    return write_built(&builder, out);
}

static struct error *write_value(struct buf *out, const struct codec *codec,
                                 const struct json_value *object, bool with_columns)
{
    switch (codec->format.form) {
    case FORM_TABLE:
        return write_table(out, codec, object, with_columns);
    case FORM_METADATA:
        return write_metadata(out, codec, object);
    case FORM_OBJECT:
        break;
    }
    json_write_with(out, object, JSON_WRITE_ESCAPE_HTML);
    return buf_check(out);
}

/* An object that is written, perhaps on a worker thread. Either the text or the object is given. */
struct writing {
    struct buf *out;
    const struct codec *codec;
    const struct object_text *text;
    const struct json_value *object;
    bool with_columns;
};

static struct error *write_object(void *data)
{
    const struct writing *writing = data;
    OWNED(json_doc) doc = NULL;
    if (writing->text)
        TRY(codec_read_stored(writing->codec->kind, writing->text, &doc));
    return write_value(writing->out, writing->codec, doc ? json_doc_root(doc) : writing->object,
                       writing->with_columns);
}

/* The size in memory is about twice that of the text, or more. */
struct error *codec_write_doc(struct buf *out, const struct codec *codec, struct json_doc *doc,
                              bool with_columns)
{
    const struct json_value *object = json_doc_root(doc);
    struct writing writing = {out, codec, NULL, object, with_columns};
    return compute_sized(json_size(object) / 2, write_object, &writing);
}

/* Whether the stored text is the response. */
static bool is_as_stored(const struct codec *codec)
{
    return codec->format.form == FORM_OBJECT && !has_forms(codec->kind);
}

struct error *codec_write(struct buf *out, const struct codec *codec,
                          const struct object_text *text, bool with_columns)
{
    struct writing writing = {out, codec, text, NULL, with_columns};
    if (!is_as_stored(codec))
        return webhook_conversion_run(codec->kind, object_text_size(text), write_object, &writing);
    buf_add(out, object_text_json(text));
    return buf_check(out);
}

void codec_list_begin(struct buf *out, const struct codec *codec)
{
    SCOPED(arena) arena = {0};
    switch (codec->format.form) {
    case FORM_TABLE: {
        SCOPED(json_builder) builder = {0};
        buf_add(out, STR("{\"kind\":\"Table\",\"apiVersion\":"));
        buf_add_json_string(out, table_api_version(codec));
        buf_add(out, STR(",\"columnDefinitions\":"));
        add_columns(&builder, codec->kind);
        OWNED(error) full = write_built(&builder, out);
        buf_add(out, STR(",\"rows\":"));
        return;
    }
    case FORM_METADATA:
        buf_add(out,
                STR("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                    "\"items\":["));
        return;
    case FORM_OBJECT:
        break;
    }
    buf_add(out, STR("{\"kind\":"));
    buf_add_json_string(out, codec->kind->list_kind);
    buf_add(out, STR(",\"apiVersion\":"));
    buf_add_json_string(out, gvk_api_version(&arena, codec->kind->gvk));
    buf_add(out, STR(",\"items\":["));
}

static struct error *write_row(void *data)
{
    const struct writing *writing = data;
    OWNED(json_doc) doc = NULL;
    SCOPED(json_builder) builder = {0};
    TRY(codec_read_stored(writing->codec->kind, writing->text, &doc));
    add_row(&builder, writing->codec, json_doc_root(doc));
    return write_built(&builder, writing->out);
}

struct error *codec_list_item(struct buf *out, const struct codec *codec,
                              const struct object_text *text, bool is_first)
{
    struct writing writing = {out, codec, text, NULL, false};
    if (!is_first)
        buf_add_char(out, ',');
    else if (codec->format.form == FORM_TABLE)
        buf_add_char(out, '[');
    if (codec->format.form != FORM_TABLE)
        return codec_write(out, codec, text, false);
    return webhook_conversion_run(codec->kind, object_text_size(text), write_row, &writing);
}

/*
 * A Table without rows has "rows": null for kinds with the default columns, and [] for others.
 * kube-apiserver differs in the same way.
 */
static bool has_own_columns(const struct kind *kind)
{
    return kind->column_count != 2 || strcmp(kind->columns[1].name, "Created At") != 0;
}

/*
 * The bracket of a Table's rows is opened by its first row, so a Table without rows writes them
 * here.
 */
void codec_list_end(struct buf *out, const struct codec *codec,
                    const struct codec_list_metadata *metadata)
{
    const bool no_rows = codec->format.form == FORM_TABLE && metadata->is_empty;
    const char *rows = has_own_columns(codec->kind) ? "[]" : "null";
    buf_print(out, "%s,\"metadata\":{\"resourceVersion\":\"%lld\"", no_rows ? rows : "]",
              (long long)metadata->revision);
    /* Lists of custom resources show that there is no token, as those of kube-apiserver do. */
    if (metadata->continue_token.len ||
        (codec->kind->is_custom && codec->format.form == FORM_OBJECT)) {
        buf_add(out, STR(",\"continue\":"));
        buf_add_json_string(out, metadata->continue_token);
    }
    if (metadata->has_remaining)
        buf_print(out, ",\"remainingItemCount\":%zu", metadata->remaining);
    buf_add(out, STR("}}"));
}

void codec_bookmark(struct buf *out, const struct codec *codec, int64_t revision,
                    bool ends_initial_events)
{
    SCOPED(arena) arena = {0};
    const char *annotation =
        ends_initial_events ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "";
    if (codec->format.form == FORM_TABLE) {
        buf_add(out, STR("{\"kind\":\"Table\",\"apiVersion\":"));
        buf_add_json_string(out, table_api_version(codec));
        buf_print(
            out,
            ",\"metadata\":{\"resourceVersion\":\"%lld\"},\"columnDefinitions\":null,"
            "\"rows\":[{\"cells\":[],\"object\":{\"kind\":\"PartialObjectMetadata\","
            "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"%lld\"%s}}}"
            "]}",
            (long long)revision, (long long)revision, annotation);
        return;
    }
    const bool whole = codec->format.form == FORM_OBJECT;
    buf_add(out, STR("{\"kind\":"));
    buf_add_json_string(out, whole ? codec->kind->gvk.kind : STR("PartialObjectMetadata"));
    buf_add(out, STR(",\"apiVersion\":"));
    buf_add_json_string(out, whole ? gvk_api_version(&arena, codec->kind->gvk) : api_version_meta);
    buf_print(out, ",\"metadata\":{\"resourceVersion\":\"%lld\"%s}}", (long long)revision,
              annotation);
}
