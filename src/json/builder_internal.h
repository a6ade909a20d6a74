/*
 * The builder's inside, for the sources that copy parts of documents. Private to this folder.
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

/* For what has unique members and no limit to reach: finishes without checks. */
struct json_doc *builder_finish_unique(struct json_builder *builder);

/* The same with limits. */
MUST_USE struct error *builder_finish_checked(struct json_builder *builder,
                                              struct json_doc **ret_doc);
