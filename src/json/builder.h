/*
 * Builds a document step by step.
 *
 *     SCOPED(json_builder) builder = {0};
 *     json_builder_object(&builder);
 *     json_builder_add_str(&builder, "kind", STR("ConfigMap"));
 *     json_builder_key(&builder, STR("data"));
 *     json_builder_value(&builder, data);
 *     json_builder_end(&builder);
 *     TRY(json_builder_finish(&builder, &doc), "make config map");
 *
 * Keys and values are copied. Calls in an order that makes no document are bugs and asserted. Once
 * the limit is reached the builder ignores further calls, and json_builder_finish() reports it. To
 * change an existing document see json/edit.h.
 */
#pragma once

#include "json/json.h"

#define JSON_BUILDER_LIMIT_DEFAULT (256 * MEGABYTE)

struct json_builder {
    size_t limit; /* of memory; 0 means JSON_BUILDER_LIMIT_DEFAULT */
    /* private */
    struct json_value *values;
    size_t count, capacity;
    struct json_open *open;
    size_t depth, open_capacity;
    struct string_pool *strings;
    size_t text_size, containers;
    struct error *err;
};

void json_builder_done(struct json_builder *builder);

/* Open a container, which takes the following values until json_builder_end(). */
void json_builder_object(struct json_builder *builder);
void json_builder_array(struct json_builder *builder);
void json_builder_end(struct json_builder *builder);

/* Names the next value; only in an object. The last of several members with one name wins. */
void json_builder_key(struct json_builder *builder, struct str key);

void json_builder_str(struct json_builder *builder, struct str s); /* bad UTF-8 becomes U+FFFD */
void json_builder_int(struct json_builder *builder, int64_t number);
void json_builder_double(struct json_builder *builder, double number); /* finite */
void json_builder_bool(struct json_builder *builder, bool truth);
void json_builder_null(struct json_builder *builder);

/* Adds a copy of a value with everything inside it. NULL adds null. */
void json_builder_value(struct json_builder *builder, const struct json_value *value);

/* Add a member in one call. Keys are C strings, because they are nearly always literals. */
void json_builder_add_str(struct json_builder *builder, const char *key, struct str s);
void json_builder_add_int(struct json_builder *builder, const char *key, int64_t number);
void json_builder_add_bool(struct json_builder *builder, const char *key, bool truth);
void json_builder_add_value(struct json_builder *builder, const char *key,
                            const struct json_value *value);

/* Adds copies of those members of an object that are there. */
void json_builder_add_members(struct json_builder *builder, const struct json_value *from,
                              const struct str *names, size_t count);

/* Opens a container as a member. */
void json_builder_add_object(struct json_builder *builder, const char *key);
void json_builder_add_array(struct json_builder *builder, const char *key);

/* A limit was reached: what follows is ignored. */
static inline bool json_builder_is_full(const struct json_builder *builder)
{
    return builder->err;
}

/* ERROR_TOO_LARGE when a limit was reached. The builder is empty afterwards in either case. */
MUST_USE struct error *json_builder_finish(struct json_builder *builder, struct json_doc **ret_doc);
