/*
 * Reads a resource value by value, in the order of the keys:
 *
 *   1. content_input_find() collects and sorts the members of data, and those of binaryData that
 *      are gzip;
 *   2. read_value() decodes each, adds it to the hash, unpacks it, and parses its documents;
 *   3. add_documents() expands lists and sorts the objects of the value by their kind.
 *
 * Objects of different values are not sorted among each other: the order of the keys counts. All of
 * this, the texts of errors and the hash are those of Cluster API; content_oracle_test.c compares
 * with recorded answers. The default namespace and gzip are ours.
 */
#include "clusterresourceset/types/content.h"

#include "apimachinery/validation.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "clusterresourceset/types/content_input.h"
#include "clusterresourceset/types/content_items.h"
#include "clusterresourceset/types/content_text.h"
#include "json/yaml/manifest.h"

/* Memory of all objects of a resource. manifest_read() has the same limit for one value. */
#define MEMORY_MAX (48 * MEGABYTE)

static const struct content_items_limits items_limits = {CONTENT_OBJECTS_MAX, MEMORY_MAX};

#define HASH_PREFIX "sha256:"

#define UNPACK_STEP (64 * KILOBYTE)

#define KEY_SHOWN_MAX 253

struct content {
    char hash[sizeof(HASH_PREFIX) + SHA256_HEX_LEN];
    struct error *err, *whole; /* content_error() and content_error_whole(); both or none */
    struct str error_class;
    bool is_secret, wrong_type;
    struct content_items items;
    struct arena arena; /* the keys of items, and the default namespace */
    struct str default_namespace;
    size_t unpacked; /* against CONTENT_UNPACKED_MAX */
};

struct reader {
    struct content *content;
    const struct object *resource;
    struct content_input input;
    bool as_written;
    struct sha256 sha;
};

/* Takes the errors. A content with an error has no objects, not even those that were read. */
static void fail(struct content *content, struct str error_class, struct error *err,
                 struct error *whole)
{
    content->error_class = error_class;
    content->err = err;
    content->whole = whole;
    content_items_done(&content->items);
}

static void fail_plain(struct content *content, struct str error_class, struct error *err)
{
    fail(content, error_class, err, error_copy(err));
}

/* What is left of a limit. An option of 0 would mean the default, so that it is at least 1. */
static size_t left(size_t limit, size_t used)
{
    return used < limit ? limit - used : 1; /* 0 would mean the default */
}

/* The key is named if the resource has several values. */
static void fail_with_value(struct reader *reader, const struct content_value *value,
                            const struct error *err, const struct manifest_fault *fault)
{
    const struct content_text text = {
        .err = err,
        .fault = fault,
        .key = reader->input.count > 1 ? value->key : STR(""),
        .secret = reader->input.is_secret,
    };
    fail(reader->content, manifest_error_name(fault->error), content_text_public(&text),
         content_text_whole(&text));
}

/* Fails if there are too many objects, or if they take too much memory. */
static struct error *add_documents(struct reader *reader, struct str key,
                                   const struct manifest_list *list)
{
    struct content *content = reader->content;
    const size_t from = content->items.count;
    for (size_t i = 0; i < list->count; i++) {
        struct content_item item = {.key = key, .document = i + 1};
        TRY(object_from_doc(list->docs[i], &item.object));
        content_items_add(&content->items, item);
    }
    TRY(content_items_check(&content->items, &items_limits));
    if (!reader->as_written)
        TRY(content_items_expand_within(&content->items, from, &items_limits));
    content_items_sort(&content->items, from);
    return NULL;
}

static void read_documents(struct reader *reader, const struct content_value *value,
                           struct str text)
{
    struct content *content = reader->content;
    const struct manifest_options limits = {
        .memory_max = left(MEMORY_MAX, content->items.bytes),
        .documents_max = left(CONTENT_OBJECTS_MAX, content->items.count),
    };
    struct manifest_fault fault = {0};
    SCOPED(manifest_list) list = {0};
    OWNED(error) err = manifest_read(text, &limits, &list, &fault);
    if (!err) {
        err = add_documents(reader, arena_str(&content->arena, value->key), &list);
        fault = (struct manifest_fault){.error = MANIFEST_TOO_LARGE};
    }
    if (err)
        fail_with_value(reader, value, err, &fault);
}

/* A small text may unpack to a very large one, so that it is stopped on the way. */
static struct error *unpack_text(struct content *content, struct str packed, struct buf *out)
{
    OWNED(gzip_reader) gzip = gzip_reader_new(left(CONTENT_UNPACKED_MAX, content->unpacked), 0);
    size_t before;
    do {
        before = out->len;
        TRY(gzip_read(gzip, &packed, out, UNPACK_STEP));
        TRY(buf_check(out));
    } while (packed.len || out->len - before == UNPACK_STEP);
    content->unpacked += out->len;
    return gzip_read_end(gzip);
}

/* The error is about bytes, not about what they say: it may be told of a Secret, too. */
static void read_packed(struct reader *reader, const struct content_value *value, struct str packed)
{
    SCOPED(buf) text = {.limit = CONTENT_UNPACKED_MAX + UNPACK_STEP, .secret = true};
    SCOPED(buf) place = {.limit = 0};
    OWNED(error) err = unpack_text(reader->content, packed, &text);
    if (!err) {
        read_documents(reader, value, buf_str(&text));
        return;
    }
    if (reader->input.count > 1) {
        buf_add(&place, STR(" (key "));
        str_quote_go(&place, str_slice(value->key, 0, KEY_SHOWN_MAX));
        buf_add_char(&place, ')');
    }
    fail_plain(reader->content, STR("gzip"),
               error_new(err->code, "failed to unpack gzip: %s%.*s", err->message,
                         STR_ARG(buf_str(&place))));
}

/*
 * The first value that cannot be read is the error of the content. The hash covers all values in
 * any case: the binding records it, so that the resource is tried again when it changes. Packed
 * values count as they are stored.
 */
static void read_value(struct reader *reader, const struct content_value *value)
{
    SCOPED(buf) decoded = {.secret = true};
    struct str text = value->text;
    if (value->is_base64) {
        base64_decode_lenient(&decoded,
                              value->text); /* up to the first wrong character, as in Go */
        text = buf_str(&decoded);
    }
    sha256_add(&reader->sha, text);
    if (reader->content->err)
        return;
    if (value->is_base64 && str_starts_with(text, STR(CONTENT_GZIP_START)))
        read_packed(reader, value, text);
    else
        read_documents(reader, value, text);
}

/*
 * The default namespace decides where objects go, so that a change of it has to be applied as a
 * change of the data is: it counts for the hash. No value can imitate it: a NUL byte is in front.
 */
static void read_default_namespace(struct reader *reader)
{
    struct content *content = reader->content;
    struct str name;
    if (!content_input_find_namespace(reader->resource, &name))
        return;
    sha256_add(&reader->sha, STR("\0" CONTENT_DEFAULT_NAMESPACE "="));
    sha256_add(&reader->sha, name);
    content->default_namespace = arena_str(&content->arena, name);
    if (!content->err && validation_dns1123_label(name).count)
        fail_plain(content, STR("default-namespace"),
                   error_new(ERROR_INVALID, "the annotation " CONTENT_DEFAULT_NAMESPACE
                                            " is not the name of a namespace"));
}

static void read_values(struct reader *reader)
{
    struct content *content = reader->content;
    uint8_t digest[SHA256_LEN];
    for (size_t i = 0; i < reader->input.count; i++)
        read_value(reader, &reader->input.values[i]);
    read_default_namespace(reader);
    sha256_finish(&reader->sha, digest);
    memcpy(content->hash, HASH_PREFIX, sizeof(HASH_PREFIX) - 1);
    sha256_hex(digest, content->hash + sizeof(HASH_PREFIX) - 1);
}

/*
 * The type of a Secret comes first: a Secret of another type is not meant for sets, and nothing
 * is said about its data.
 */
static struct content *read_resource(const struct object *resource, bool as_written)
{
    struct content *content = NEW(struct content);
    struct reader reader = {.content = content, .resource = resource, .as_written = as_written};
    const bool has_values = content_input_find(resource, &reader.input);
    const struct str type = json_to_str(json_get(object_root(resource), STR("type")));
    content->is_secret = reader.input.is_secret;
    content->wrong_type = reader.input.is_secret && !str_eq(type, STR(CONTENT_SECRET_TYPE));
    const struct key key = object_key(resource);
    if (content->wrong_type)
        fail_plain(
            content, STR("secret-type"),
            error_new(ERROR_INVALID, "unsupported secret type, it must be " CONTENT_SECRET_TYPE));
    else if (!has_values)
        fail_plain(content, STR("no-data"),
                   error_new(ERROR_INVALID, "failed to get data field from resource %.*s/%.*s",
                             STR_ARG(key.namespace), STR_ARG(key.name)));
    else
        read_values(&reader);
    sha256_done(&reader.sha);
    content_input_done(&reader.input);
    return content;
}

struct content *content_read(const struct object *resource)
{
    return read_resource(resource, false);
}

struct content *content_read_as_written(const struct object *resource)
{
    return read_resource(resource, true);
}

/* Everything but the objects. */
static struct content *copy_head(const struct content *content)
{
    struct content *copy = NEW(struct content);
    memcpy(copy->hash, content->hash, sizeof(copy->hash));
    copy->is_secret = content->is_secret;
    copy->default_namespace = arena_str(&copy->arena, content->default_namespace);
    return copy;
}

struct content *content_refuse(const struct content *content, struct str error_class,
                               struct error *err)
{
    struct content *copy = copy_head(content);
    fail_plain(copy, error_class, err);
    return copy;
}

/* Objects of one value have the same text as their key, which is copied once. */
struct content *content_replace(const struct content *content, struct object *const *objects)
{
    struct content *copy = copy_head(content);
    struct str key = {0}, copied = {0};
    for (size_t i = 0; i < content->items.count; i++) {
        struct content_item item = content->items.items[i];
        if (item.key.ptr != key.ptr || !copied.ptr)
            copied = arena_str(&copy->arena, item.key);
        key = item.key;
        item.key = copied;
        item.bytes = objects[i] ? 0 : item.bytes;
        item.object = object_ref(objects[i] ? objects[i] : item.object);
        content_items_add(&copy->items, item);
    }
    return copy;
}

void content_free(struct content *content)
{
    if (!content)
        return;
    content_items_done(&content->items);
    error_free(content->err);
    error_free(content->whole);
    arena_done(&content->arena);
    mem_free(content);
}

struct str content_hash(const struct content *content)
{
    return str_from_c(content->hash);
}

const struct error *content_error(const struct content *content)
{
    return content->err;
}

const struct error *content_error_whole(const struct content *content)
{
    return content->whole;
}

struct str content_error_class(const struct content *content)
{
    return content->error_class;
}

bool content_has_wrong_type(const struct content *content)
{
    return content->wrong_type;
}

bool content_is_secret(const struct content *content)
{
    return content->is_secret;
}

size_t content_count(const struct content *content)
{
    return content->items.count;
}

struct object *content_object(const struct content *content, size_t index)
{
    return content->items.items[index].object;
}

struct str content_key(const struct content *content, size_t index)
{
    return content->items.items[index].key;
}

size_t content_document(const struct content *content, size_t index)
{
    return content->items.items[index].document;
}

struct str content_default_namespace(const struct content *content)
{
    return content->default_namespace;
}
