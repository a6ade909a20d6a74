#include "clusterresourceset/types/content_input.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "clusterresourceset/types/content.h"
#include "json/path.h"

/* CONTENT_GZIP_START in base64. */
#define GZIP_START_BASE64 "H4sI"

/* A text without an anchor and an alias grows to a small multiple of itself. */
#define ANCHOR '&'
#define ALIAS  '*'

static int compare_keys(const void *a, const void *b)
{
    return str_cmp(((const struct content_value *)a)->key, ((const struct content_value *)b)->key);
}

/* Decoding passes over line breaks. */
static bool is_packed(const struct content_value *value)
{
    size_t found = 0;
    if (!value->is_base64)
        return false;
    for (size_t i = 0; i < value->text.len && found < sizeof(GZIP_START_BASE64) - 1; i++) {
        const char letter = value->text.ptr[i];
        if (letter == '\r' || letter == '\n')
            continue;
        if (letter != GZIP_START_BASE64[found++])
            return false;
    }
    return found == sizeof(GZIP_START_BASE64) - 1;
}

/*
 * Of binaryData only what is gzip counts, by its first bytes: for Cluster API all of it is nothing,
 * and a ConfigMap may hold pictures beside its manifests.
 */
static void find_packed_values(struct content_input *input, const struct json_value *data)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, data)
        if (str_starts_with(json_to_str(value), STR(GZIP_START_BASE64)))
            input->values[input->count++] = (struct content_value){key, json_to_str(value), true};
}

bool content_input_find(const struct object *resource, struct content_input *ret_input)
{
    const struct json_value *root = object_root(resource), *value;
    const struct json_value *data = json_get(root, STR("data"));
    const bool is_secret = str_eq(object_kind(resource), STR("Secret"));
    const struct json_value *binary = is_secret ? NULL : json_get(root, STR("binaryData"));
    const enum json_type type = json_type(data);
    *ret_input = (struct content_input){.is_secret = is_secret};
    if (type != JSON_OBJECT && type != JSON_ABSENT && type != JSON_NULL)
        return false;
    if (json_type(binary) != JSON_OBJECT)
        binary = NULL;
    ret_input->values = mem_realloc_array(NULL, json_count(data) + json_count(binary) + 1,
                                          sizeof(*ret_input->values));
    JSON_FOREACH (key, value, data) {
        if (json_type(value) != JSON_STRING && json_type(value) != JSON_NULL)
            return false;
        ret_input->values[ret_input->count++] =
            (struct content_value){key, json_to_str(value), is_secret};
    }
    find_packed_values(ret_input, binary);
    qsort(ret_input->values, ret_input->count, sizeof(*ret_input->values), compare_keys);
    return ret_input->count > 0;
}

void content_input_done(struct content_input *input)
{
    mem_free(input->values);
    *input = (struct content_input){0};
}

bool content_input_find_namespace(const struct object *resource, struct str *ret_name)
{
    return object_find_annotation(resource, STR(CONTENT_DEFAULT_NAMESPACE), ret_name);
}

static bool has_aliases(struct str text)
{
    return str_find_char(text, ANCHOR) != STR_NONE && str_find_char(text, ALIAS) != STR_NONE;
}

/* Whether a small value may become a large document. */
static bool may_grow(const struct content_value *value)
{
    SCOPED(buf) decoded = {.secret = true};
    if (!value->is_base64)
        return has_aliases(value->text);
    if (is_packed(value))
        return true;
    base64_decode_lenient(&decoded, value->text);
    return has_aliases(buf_str(&decoded));
}

size_t content_size(const struct object *resource)
{
    SCOPED(content_input) input;
    size_t size = 0;
    if (!content_input_find(resource, &input))
        return 0;
    for (size_t i = 0; i < input.count && size < CONTENT_UNPACKED_MAX; i++) {
        size += input.values[i].text.len;
        if (may_grow(&input.values[i]))
            size += CONTENT_UNPACKED_MAX;
    }
    return size;
}

/* The length in front tells where a text ends: no two lists of texts are added as the same bytes.
 */
static void add_text(struct sha256 *sha, struct str text)
{
    const uint64_t len = text.len;
    sha256_add(sha, (struct str){(const char *)&len, sizeof(len)});
    sha256_add(sha, text);
}

void content_digest(const struct object *resource, uint8_t ret_digest[static SHA256_LEN])
{
    SCOPED(content_input) input;
    SCOPED(sha256) sha = {0};
    struct str namespace = {0};
    const bool is_usable = content_input_find(resource, &input);
    const bool has_namespace = content_input_find_namespace(resource, &namespace);
    const char facts[] = {(char)input.is_secret, (char)is_usable, (char)has_namespace};
    sha256_add(&sha, (struct str){facts, sizeof(facts)});
    add_text(&sha, json_to_str(object_path(resource, "type")));
    add_text(&sha, namespace);
    for (size_t i = 0; i < input.count; i++) {
        const struct content_value *value = &input.values[i];
        sha256_add(&sha, value->is_base64 ? STR("b") : STR("t"));
        add_text(&sha, value->key);
        add_text(&sha, value->text);
    }
    sha256_finish(&sha, ret_digest);
}
