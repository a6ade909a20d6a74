/*
 * write_object() turns an object into the text of a document, or into a gzip member: members may
 * follow each other, so that the size of a part is known while it grows. A part is finished by
 * finish_part(), which reads it back.
 */
#include "cmd/bundle_parts.h"

#include "base/array.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "clusterresourceset/types/content.h"
#include "cmd/object_name.h"
#include "json/builder.h"
#include "json/yaml/yaml_write.h"

/* Text of a packed part. Less than content.h allows: it has to be parsed in bounded memory, too. */
#define UNPACKED_MAX ((size_t)6 * MEGABYTE)
#define TEXT_MAX     (64 * MEGABYTE)
#define GZIP_LEVEL   9

struct bundle {
    const struct bundle_options *options;
    const struct content_items *items;
    struct bundle_parts *parts;
    struct buf data;    /* of the part that grows */
    size_t unpacked;    /* the text of it */
    size_t from, until; /* its items */
};

static void bundle_done(struct bundle *bundle)
{
    buf_done(&bundle->data);
}

void bundle_parts_done(struct bundle_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        object_free(parts->items[i]);
    mem_free(parts->items);
    *parts = (struct bundle_parts){0};
}

/* YAML for people, if it fits; otherwise JSON, which needs no indentation. */
static void write_document(const struct object *object, size_t max, struct buf *out)
{
    buf_add(out, STR("---\n"));
    yaml_write(out, object_root(object));
    if (!out->overflowed && out->len <= max)
        return;
    buf_clear(out);
    buf_add(out, STR("---\n"));
    json_write(out, object_root(object));
    buf_add_char(out, '\n');
}

static void pack(struct str text, struct buf *out)
{
    OWNED(gzip_writer) writer = gzip_writer_new(GZIP_LEVEL);
    gzip_write(writer, text, out);
    gzip_write_end(writer, out);
}

/* The bytes of one object for the data of a part. */
static struct error *write_object(const struct bundle_options *options, const struct object *object,
                                  struct buf *out, size_t *ret_text)
{
    SCOPED(buf) text = {.limit = TEXT_MAX, .secret = true};
    SCOPED(buf) name = {.limit = 0};
    write_document(object, options->gzip ? UNPACKED_MAX : options->max, &text);
    TRY(buf_check(&text));
    *ret_text = text.len;
    if (options->gzip)
        pack(buf_str(&text), out);
    else
        buf_add(out, buf_str(&text));
    TRY(buf_check(out));
    if (out->len <= options->max && text.len <= UNPACKED_MAX)
        return NULL;
    object_name_add(&name, object);
    return error_new(ERROR_TOO_LARGE, "%s alone takes %zu bytes, and a part may have %zu%s",
                     buf_c(&name), out->len, options->max, options->gzip ? "" : "; try --gzip");
}

static void build_metadata(const struct bundle *bundle, struct json_builder *builder)
{
    const struct bundle_options *options = bundle->options;
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%.*s-%02zu", STR_ARG(options->name), bundle->parts->count + 1);
    json_builder_add_object(builder, "metadata");
    json_builder_add_str(builder, "name", buf_str(&name));
    if (options->namespace.len)
        json_builder_add_str(builder, "namespace", options->namespace);
    if (options->default_namespace.len) {
        json_builder_add_object(builder, "annotations");
        json_builder_add_str(builder, CONTENT_DEFAULT_NAMESPACE, options->default_namespace);
        json_builder_end(builder);
    }
    json_builder_end(builder);
}

static struct error *build_part(const struct bundle *bundle, struct object **ret_part)
{
    const struct bundle_options *options = bundle->options;
    SCOPED(json_builder) builder = {0};
    SCOPED(buf) key = {.limit = 0};
    SCOPED(buf) encoded = {.limit = TEXT_MAX, .secret = true};
    OWNED(json_doc) doc = NULL;
    buf_print(&key, "%.*s.yaml%s", STR_ARG(options->name), options->gzip ? ".gz" : "");
    if (options->secret || options->gzip)
        base64_encode(&encoded, buf_str(&bundle->data));
    else
        buf_add(&encoded, buf_str(&bundle->data));
    TRY(buf_check(&encoded));
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    json_builder_add_str(&builder, "kind", options->secret ? STR("Secret") : STR("ConfigMap"));
    build_metadata(bundle, &builder);
    if (options->secret)
        json_builder_add_str(&builder, "type", STR(CONTENT_SECRET_TYPE));
    json_builder_add_object(&builder, options->gzip && !options->secret ? "binaryData" : "data");
    json_builder_key(&builder, buf_str(&key));
    json_builder_str(&builder, buf_str(&encoded));
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return object_from_doc(doc, ret_part);
}

static bool is_same(const struct object *a, const struct object *b)
{
    SCOPED(buf) first = {.secret = true};
    SCOPED(buf) second = {.secret = true};
    object_write(&first, a);
    object_write(&second, b);
    return str_eq(buf_str(&first), buf_str(&second));
}

static struct error *check_part(const struct bundle *bundle, const struct object *part)
{
    OWNED(content) content = content_read(part);
    const struct error *err = content_error(content);
    if (err)
        return error_new(err->code, "%s", err->message);
    bool same = content_count(content) == bundle->until - bundle->from;
    for (size_t i = 0; same && i < content_count(content); i++)
        same = is_same(content_object(content, i), bundle->items->items[bundle->from + i].object);
    return same ? NULL
                : error_new(ERROR_INTERNAL, "the objects are others when they are read again");
}

static struct error *finish_part(struct bundle *bundle)
{
    OWNED(object) part = NULL;
    if (bundle->until == bundle->from)
        return NULL;
    if (bundle->parts->count == BUNDLE_PARTS_MAX)
        return error_new(ERROR_TOO_LARGE, "more than %zu parts; try --gzip, or two bundles",
                         BUNDLE_PARTS_MAX);
    TRY(build_part(bundle, &part));
    TRY(check_part(bundle, part), "%.*s", STR_ARG(object_name(part)));
    ARRAY_PUSH(bundle->parts->items, bundle->parts->count, bundle->parts->capacity, TAKE(part));
    buf_clear(&bundle->data);
    bundle->unpacked = 0;
    bundle->from = bundle->until;
    return NULL;
}

static struct error *add_object(struct bundle *bundle, const struct object *object)
{
    SCOPED(buf) bytes = {.limit = TEXT_MAX, .secret = true};
    size_t text;
    TRY(write_object(bundle->options, object, &bytes, &text));
    if (bundle->data.len + bytes.len > bundle->options->max ||
        bundle->unpacked + text > UNPACKED_MAX)
        TRY(finish_part(bundle));
    buf_add(&bundle->data, buf_str(&bytes));
    bundle->unpacked += text;
    bundle->until++;
    return buf_check(&bundle->data);
}

struct error *bundle_parts_make(struct content_items *items, const struct bundle_options *options,
                                struct bundle_parts *ret_parts)
{
    SCOPED(bundle)
    bundle = {.options = options, .items = items, .parts = ret_parts, .data = {.secret = true}};
    content_items_sort(items, 0);
    for (size_t i = 0; i < items->count; i++)
        TRY(add_object(&bundle, items->items[i].object));
    return finish_part(&bundle);
}
