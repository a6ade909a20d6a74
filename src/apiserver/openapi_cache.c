/*
 * The documents are in a list, the last used first. Those at its end are given up when the texts
 * exceed the limit. The list is short: a process has as many documents as it serves groups.
 *
 * A definition may change while a worker thread writes the document. The thread notes which
 * definitions it has read, and the hash of the document is made of these.
 */
#include "apiserver/openapi_cache.h"

#include <string.h>

#include "apiserver/api.h"
#include "apiserver/crd_registry.h"
#include "async/compute.h"
#include "base/memory.h"

/* The hash of a document of built-in kinds. */
struct builtin_hash {
    struct str group, version;
    uint8_t digest[SHA256_LEN];
};

struct openapi_cache {
    size_t limit, size;
    struct list documents;
    struct builtin_hash *builtin; /* NULL until openapi_cache_prepare() */
    size_t builtin_count;
    uint8_t stamp[SHA256_LEN]; /* of all of them */
};

struct openapi_cache *openapi_cache_new(size_t limit)
{
    struct openapi_cache *cache = NEW(struct openapi_cache);
    cache->limit = limit;
    list_init(&cache->documents);
    return cache;
}

void openapi_document_free(struct openapi_document *document)
{
    if (!document || --document->references)
        return;
    buf_done(&document->text);
    mem_free(document);
}

/* Gives up documents from the end of the list until the texts fit. */
static void shrink_cache(struct openapi_cache *cache, size_t limit)
{
    while (cache->size > limit) {
        struct openapi_document *last =
            CONTAINER_OF(cache->documents.head.prev, struct openapi_document, link);
        cache->size -= last->text.len;
        list_remove(&last->link);
        openapi_document_free(last);
    }
}

void openapi_cache_free(struct openapi_cache *cache)
{
    if (!cache)
        return;
    shrink_cache(cache, 0);
    mem_free(cache->builtin);
    mem_free(cache);
}

static struct openapi_document *find_document(struct openapi_cache *cache, const char *hash)
{
    for (struct list_link *link = cache->documents.head.next; link != &cache->documents.head;
         link = link->next) {
        struct openapi_document *document = CONTAINER_OF(link, struct openapi_document, link);
        if (strcmp(document->hash, hash) != 0)
            continue;
        list_remove(link);
        list_prepend(&cache->documents, link);
        document->references++;
        return document;
    }
    return NULL;
}

/* What a worker thread finds out about built-in kinds. */
struct hashing {
    struct builtin_hash *hashes;
    size_t count;
    uint8_t stamp[SHA256_LEN];
};

static void hashing_done(struct hashing *hashing)
{
    mem_free(hashing->hashes);
}

static struct error *hash_builtin(void *data)
{
    struct hashing *hashing = data;
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(sha256) all = {0};
    struct kind_range range;
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    const struct kind **items = arena_alloc_array(&arena, count, sizeof(*items));
    hashing->hashes = mem_realloc_array(NULL, count, sizeof(*hashing->hashes));
    for (size_t i = 0; i < count; i++)
        items[i] = &kinds[i];
    for (size_t i = 0; i < count; i = range.end) {
        SCOPED(buf) text = {.limit = 0};
        struct builtin_hash *hash = &hashing->hashes[hashing->count++];
        range = kind_range_of_version((struct kind_list){items, count}, i);
        const struct openapi_source source = {
            .form = OPENAPI_3,
            .builtin = {items + i, range.end - i},
        };
        TRY(openapi_write(&source, &text));
        *hash = (struct builtin_hash){.group = kinds[i].gvk.group, .version = kinds[i].gvk.version};
        sha256_of(buf_str(&text), hash->digest);
        sha256_add(&all, str_from((const char *)hash->digest, SHA256_LEN));
    }
    sha256_finish(&all, hashing->stamp);
    return NULL;
}

struct error *openapi_cache_prepare(struct openapi_cache *cache)
{
    SCOPED(compute) turn = {0};
    SCOPED(hashing) hashing = {.count = 0};
    if (cache->builtin)
        return NULL;
    TRY(compute_take(&turn));
    if (cache->builtin)
        return NULL;
    TRY(compute_run(&turn, hash_builtin, &hashing));
    cache->builtin = TAKE(hashing.hashes);
    cache->builtin_count = hashing.count;
    memcpy(cache->stamp, hashing.stamp, sizeof(cache->stamp));
    return NULL;
}

static const struct builtin_hash *find_builtin(const struct openapi_cache *cache, struct str group,
                                               struct str version)
{
    for (size_t i = 0; i < cache->builtin_count; i++)
        if (str_eq(cache->builtin[i].group, group) && str_eq(cache->builtin[i].version, version))
            return &cache->builtin[i];
    return NULL;
}

/* A hash of a document of custom resources on its way. */
static void begin_hash(const struct openapi_cache *cache, const struct openapi_asked *asked,
                       struct sha256 *sha)
{
    sha256_add(sha, asked->form == OPENAPI_2 ? STR("v2/") : STR("v3/"));
    sha256_add(sha, str_from((const char *)cache->stamp, SHA256_LEN));
    sha256_add(sha, asked->group);
    sha256_add(sha, STR("/"));
    sha256_add(sha, asked->version);
}

/* Whether the document shows the definition of the kind. Each definition is asked for once. */
static bool shows_definition(const struct openapi_asked *asked, const struct kind *kind)
{
    if (!kind->is_custom)
        return false;
    return asked->form == OPENAPI_2
               ? crd_kind(crd_of_kind(kind), 0) == kind
               : str_eq(kind->gvk.group, asked->group) && str_eq(kind->gvk.version, asked->version);
}

bool openapi_cache_hash(const struct openapi_cache *cache, const struct openapi_asked *asked,
                        char ret_hash[static SHA256_HEX_LEN + 1])
{
    SCOPED(sha256) sha = {0};
    uint8_t digest[SHA256_LEN];
    struct kind_range range;
    const struct builtin_hash *builtin =
        asked->form == OPENAPI_3 ? find_builtin(cache, asked->group, asked->version) : NULL;
    if (builtin) {
        sha256_hex(builtin->digest, ret_hash);
        return true;
    }
    if (asked->form == OPENAPI_3 &&
        !kind_range_find_version(asked->kinds, asked->group, asked->version, &range))
        return false;
    begin_hash(cache, asked, &sha);
    for (size_t i = 0; i < asked->kinds.count; i++)
        if (shows_definition(asked, asked->kinds.items[i]))
            sha256_add(&sha, str_from((const char *)crd_digest(crd_of_kind(asked->kinds.items[i])),
                                      SHA256_LEN));
    sha256_finish(&sha, digest);
    sha256_hex(digest, ret_hash);
    return true;
}

/* A document that a worker thread writes. */
struct writing {
    struct openapi_source source;
    struct object_text **texts; /* of the definitions; references */
    struct openapi_document *document;
};

static void writing_done(struct writing *writing)
{
    for (size_t i = 0; i < writing->source.count; i++)
        object_text_free(writing->texts[i]);
    mem_free(writing->texts);
    mem_free(writing->source.items);
    openapi_document_free(writing->document);
}

static struct error *write_document(void *data)
{
    struct writing *writing = data;
    return openapi_write(&writing->source, &writing->document->text);
}

/* A definition that was deleted in between is left out. */
static void take_definitions(struct api *api, const struct openapi_asked *asked,
                             struct writing *writing)
{
    const struct kind_list kinds = asked->kinds;
    writing->texts = mem_realloc_array(NULL, kinds.count, sizeof(struct object_text *));
    writing->source.items = mem_realloc_array(NULL, kinds.count, sizeof(struct openapi_definition));
    for (size_t i = 0; i < kinds.count; i++) {
        SCOPED(store_object) found = {0};
        if (!shows_definition(asked, kinds.items[i]))
            continue;
        const struct store_id id = {CRD_RESOURCE, {.name = kinds.items[i]->stored_as}};
        OWNED(error) gone = store_get(api->store, id, &found);
        if (gone)
            continue;
        const size_t at = writing->source.count++;
        writing->texts[at] = object_text_ref(found.text);
        writing->source.items[at] =
            (struct openapi_definition){.json = object_text_json(found.text)};
    }
}

/* Built-in kinds stand before all others in the list. */
static struct kind_list builtin_kinds(const struct openapi_asked *asked)
{
    struct kind_range range = {0, 0};
    if (asked->form == OPENAPI_2)
        while (range.end < asked->kinds.count && !asked->kinds.items[range.end]->is_custom)
            range.end++;
    else if (!kind_range_find_version(asked->kinds, asked->group, asked->version, &range) ||
             asked->kinds.items[range.at]->is_custom)
        range.end = range.at;
    return (struct kind_list){asked->kinds.items + range.at, range.end - range.at};
}

/* The hash of what was written, by the definitions that the worker thread has read. */
static void hash_document(const struct openapi_cache *cache, const struct openapi_asked *asked,
                          const struct writing *writing)
{
    SCOPED(sha256) sha = {0};
    uint8_t digest[SHA256_LEN];
    if (asked->form == OPENAPI_3 && writing->source.builtin.count) {
        (void)openapi_cache_hash(cache, asked, writing->document->hash);
        return;
    }
    begin_hash(cache, asked, &sha);
    for (size_t i = 0; i < writing->source.count; i++)
        sha256_add(&sha, str_from((const char *)writing->source.items[i].digest, SHA256_LEN));
    sha256_finish(&sha, digest);
    sha256_hex(digest, writing->document->hash);
}

static void keep_document(struct openapi_cache *cache, struct openapi_document *document)
{
    OWNED(openapi_document) older = find_document(cache, document->hash);
    if (older || document->text.len > cache->limit)
        return;
    document->references++;
    list_prepend(&cache->documents, &document->link);
    cache->size += document->text.len;
    shrink_cache(cache, cache->limit);
}

struct error *openapi_cache_get(struct openapi_cache *cache, struct api *api,
                                const struct openapi_asked *asked,
                                struct openapi_document **ret_document)
{
    SCOPED(compute) turn = {0};
    SCOPED(writing) writing = {.source = {.form = asked->form}};
    char hash[SHA256_HEX_LEN + 1];
    (void)openapi_cache_hash(cache, asked, hash);
    *ret_document = find_document(cache, hash);
    if (*ret_document)
        return NULL;
    TRY(compute_take(&turn));
    *ret_document = find_document(cache, hash);
    if (*ret_document)
        return NULL;
    writing.document = NEW(struct openapi_document);
    writing.document->references = 1;
    writing.source.group = asked->group;
    writing.source.version = asked->version;
    writing.source.builtin = builtin_kinds(asked);
    take_definitions(api, asked, &writing);
    TRY(compute_run(&turn, write_document, &writing));
    buf_shrink(&writing.document->text);
    hash_document(cache, asked, &writing);
    keep_document(cache, writing.document);
    *ret_document = TAKE(writing.document);
    return NULL;
}
