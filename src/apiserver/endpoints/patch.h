/* Patches: what a PATCH makes of the existing object. */
#pragma once

#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/request.h"
#include "base/error.h"
#include "json/json.h"
#include "json/json_patch.h"

enum patch_type {
    PATCH_NONE,
    PATCH_JSON,
    PATCH_MERGE,
    PATCH_STRATEGIC,
    PATCH_APPLY,
    PATCH_TYPES, /* how many there are */
};

struct patch {
    enum patch_type type;
    struct json_patch *operations; /* of PATCH_JSON */
    struct json_doc *doc;          /* of all others */
    bool is_yaml;                  /* of PATCH_APPLY: the body is no JSON */
    struct json_warnings duplicates;
};

void patch_done(struct patch *patch);

/* From the Content-Type. ERROR_UNSUPPORTED_MEDIA_TYPE for types that the kind does not support. */
MUST_USE struct error *patch_type_read(const struct request *request, enum patch_type *ret_type);

/*
 * Reads the body; patch->type must be set. ERROR_BAD_REQUEST. Suspends if the body is large: it is
 * read on a worker thread.
 */
MUST_USE struct error *patch_read(const struct request *request, struct str body,
                                  struct patch *patch);

/* How many bytes of JSON the patch may add to an object, beyond its own. */
size_t patch_growth(const struct patch *patch);

/* What a patch is applied to. */
struct patch_target {
    struct request *request;
    const struct kind *kind; /* of the object: that of the URL, or a Scale */
    const struct write_options *options;
    struct json_doc *old; /* NULL: there is none yet, which PATCH_APPLY alone can handle */
};

/*
 * The patched object, decoded and with its defaults. May run several times, and on a worker thread.
 */
MUST_USE struct error *patch_apply(const struct patch *patch, const struct patch_target *target,
                                   struct json_doc **ret_doc);
