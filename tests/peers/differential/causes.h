/*
 * The errors of an object, as the causes of a Status name them, one by one: which of them are
 * missing, and which are others. An answer that took the object has none.
 *
 * How often a cause is repeated does not count: kube-apiserver adds those of metadata once for each
 * validation that looks at it, some kinds once and others four times. How an object is quoted does
 * not count either: kube-apiserver prints Go's structs, corset JSON.
 */
#pragma once

#include <stdbool.h>

#include "json/json.h"
#include "peers/conformance/difference.h"

/* The place of such a difference. */
#define CAUSES_PLACE "invalid"

/* A status and the body that came with it. */
struct causes_answer {
    int status;
    const struct json_value *body;
};

/*
 * Whether one of them is 422 with causes, and the other one, too, or a success. So is a fault that
 * only corset finds where kube-apiserver found causes: what corset lacks is named then, and hides
 * the fault that it finds behind. Otherwise there is nothing to hold side by side, nor where corset
 * has no object at all.
 */
bool causes_are_comparable(const struct causes_answer *real, const struct causes_answer *corset);

/* Adds "missing: FIELD: MESSAGE", "unexpected: ...", or both messages of a field as "expected". */
void causes_compare(const struct causes_answer *real, const struct causes_answer *corset,
                    struct differences *differences);
