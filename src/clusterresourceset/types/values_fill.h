/*
 * Puts the values of a Cluster into the manifests of a content, in the places of tokens (values.h).
 *
 * Tokens are looked for in the strings of parsed documents, never in the names of members, and a
 * text that has values in it is still one string: no value can add a member, an element or another
 * object. With "as int" or "as bool" the token is all of its string, which becomes a number or a
 * truth value.
 *
 * Objects without tokens are shared with the content that was filled. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "base/str.h"
#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/failures.h"
#include "clusterresourceset/types/values.h"

/* Memory of all objects of one set on one cluster that have values in them. */
#define VALUES_FILL_MAX ((size_t)16 * 1024 * 1024)

/* Which values a content uses, and in which of its objects. */
struct values_use {
    struct values names;
    bool *has_tokens; /* one for each object */
    size_t bytes;     /* of the objects that have tokens, as they are written */
    size_t tokens;    /* in all of them */
};

/* Looks through all objects of the content. *ret_use is empty before. */
void values_use_find(const struct content *content, struct values_use *ret_use);
void values_use_done(struct values_use *use);

struct values_fill {
    const struct values *values;
    struct key cluster;        /* whose values they are */
    struct str resource;       /* "ConfigMap cm1", for failures */
    struct failures *failures; /* gets each object that cannot be filled, once */
    size_t used;               /* of VALUES_FILL_MAX, by all contents so far */
};

/*
 * The content with values in it, with the hash of the content as it is written. NULL if an object
 * failed. A failure names the path, the token and the Cluster, and nothing else of the content,
 * since that may be a Secret.
 */
struct content *values_fill_content(struct values_fill *fill, const struct content *content,
                                    const struct values_use *use);

/*
 * The two steps of it. The first takes long for large contents, and touches no reference counts of
 * what others have: it may run on a worker thread. Its objects belong to the caller, who gives them
 * to content_replace() if none has failed.
 */
struct values_filled {
    struct object **objects; /* one for each of the content; NULL: it stays */
    size_t count;
    bool has_failed;
};

void values_fill_objects(struct values_fill *fill, const struct content *content,
                         const struct values_use *use, struct values_filled *ret_filled);
void values_filled_done(struct values_filled *filled);

/*
 * The most that the content may take beside the one that was filled: what values_fill_objects()
 * makes of these values, up to VALUES_FILL_MAX.
 */
size_t values_fill_bound(const struct content *content, const struct values_use *use,
                         const struct values *values);
