/*
 * Parts of the builder for sources that copy pieces of documents. Private to this folder.
 */
#pragma once

#include "json/builder.h"
#include "json/json_internal.h"

enum builder_copy_mode {
    BUILDER_COPY_ALL,
    BUILDER_SKIP_SUPERSEDED, /* members that repeats_find() marked */
    BUILDER_SKIP_NULLS,      /* members that are null, at any depth; elements stay */
};

void builder_copy(struct json_builder *builder, const yyjson_val *val, enum builder_copy_mode mode);

/* Finishes without checks: members are known to be unique and no limit was reached. */
struct json_doc *builder_finish_unique(struct json_builder *builder);

/* Finishes a document whose members are known to be unique; reports a reached limit. */
MUST_USE struct error *builder_finish_checked(struct json_builder *builder,
                                              struct json_doc **ret_doc);
