/*
 * The OpenAPI documents of all APIs of a process, each written once and kept while there is room.
 *
 * A document is known by its hash, which clients see in URLs and ETags. The hash of a document of
 * built-in kinds is that of its text. The hash of any other follows from the definitions that it
 * shows, so that it is known before the document is written, and virtual clusters with equal
 * definitions share their documents.
 *
 *     TRY(openapi_cache_prepare(cache));
 *     if (!openapi_cache_hash(cache, &asked, hash)) … no such document
 *     TRY(openapi_cache_get(cache, api, &asked, &document));
 *
 * Documents are written on a worker thread. All the rest happens on the loop.
 */
#pragma once

#include "apiserver/openapi/openapi.h"
#include "base/list.h"
#include "base/owned.h"

struct api;
struct openapi_cache;

/* Bytes of text that are kept. */
#define OPENAPI_CACHE_MAX (32 * MEGABYTE)

struct openapi_cache *openapi_cache_new(size_t limit);
void openapi_cache_free(struct openapi_cache *cache);
DEFINE_OWNED(openapi_cache)

/* A document of an API. Group and version are empty for that of all kinds in version 2. */
struct openapi_asked {
    enum openapi_form form;
    struct kind_list kinds; /* all that the API serves (api_kinds()), or those of the document */
    struct str group, version;
};

struct openapi_document {
    char hash[SHA256_HEX_LEN + 1];
    struct buf text;
    /* private */
    size_t references;
    struct list_link link;
};

void openapi_document_free(struct openapi_document *document); /* gives one reference back */
DEFINE_OWNED(openapi_document)

/* Makes the hashes of built-in kinds, once. Suspends. */
MUST_USE struct error *openapi_cache_prepare(struct openapi_cache *cache);

/* The hash of a document; false when no kind has the group and version. */
bool openapi_cache_hash(const struct openapi_cache *cache, const struct openapi_asked *asked,
                        char ret_hash[static SHA256_HEX_LEN + 1]);

/*
 * The document, for which openapi_cache_hash() returned true. Its hash is another one if a
 * definition changed in between. Suspends.
 */
MUST_USE struct error *openapi_cache_get(struct openapi_cache *cache, struct api *api,
                                         const struct openapi_asked *asked,
                                         struct openapi_document **ret_document);
