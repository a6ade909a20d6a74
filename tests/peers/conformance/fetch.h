/* Whole documents from a server, for those who prepare something. */
#pragma once

#include "base/error.h"
#include "json/json.h"
#include "peers/conformance/caller.h"

/* Suspends. GET as the administrator; the document is NULL when the answer is no JSON. */
MUST_USE struct error *fetch_document(struct caller *caller, struct str path, int *ret_status,
                                      struct json_doc **ret_doc);

/* Suspends. POST of a text of JSON. */
MUST_USE struct error *fetch_create(struct caller *caller, struct str path, struct str body,
                                    int *ret_status);
