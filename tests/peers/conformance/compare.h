/*
 * Holds an answer against the recorded one. Pure: nothing but the binding changes.
 *
 * An answer has the form of a recorded response: status, headers, and body or events, ended,
 * bookmarks; a body of which only some pointers were recorded is an object of these pointers.
 *
 * What is not excused here must be equal, numbers by value, members in any order:
 *
 *     uids, versions, generated names     one to one with the recorded ones, see binding.h
 *     times of 2025 and later             any time of the same form
 *     metadata.continue                   there or not, as recorded
 *     ages in tables                      any age
 *     managedFields                       only where the exchange or the options ask for them
 *     null and absent                     the same; rows of a table may also be []
 *     storageVersionHash, selfLink        whatever they are
 *     kind, apiVersion of list items      there or not
 *     causes, lists of errors in messages in any order
 *     lenient, loose, unordered pointers  may be missing, different, in another order
 */
#pragma once

#include <stdbool.h>

#include "json/json.h"
#include "peers/conformance/binding.h"
#include "peers/conformance/difference.h"
#include "peers/conformance/exchange.h"

struct compare_options {
    bool strict_managed_fields; /* everywhere */
};

/* Adds the differences that were found. */
void compare_answer(const struct exchange *exchange, const struct json_value *answer,
                    const struct compare_options *options, struct binding *binding,
                    struct differences *differences);

/* What the exchange asserts of a document: how values relate to variables. */
void compare_relations(const struct exchange *exchange, const struct json_value *document,
                       const struct binding *binding, struct differences *differences);
