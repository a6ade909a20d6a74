/*
 * A document made from the parts of it that were recorded, for tests: {"/a/b": 1, "/a/c": 2} comes
 * from {"a": {"b": 1, "c": 2}}. Pointers are those of pointer.h; parts that are null were absent.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "json/json.h"

MUST_USE struct error *excerpt_to_document(struct arena *arena, const struct json_value *values,
                                           struct json_doc **ret_document);
