#include "apiserver/crd/crd_conversion.h"

#include "apiserver/crd/crd_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/edit.h"
#include "json/path.h"

static void release_answer(void *doc)
{
    json_doc_free(doc);
}

static void question_done(struct crd_question *question)
{
    json_doc_free(question->object);
}

void crd_conversions_clear(struct crd_conversions *conversions)
{
    for (size_t i = 0; i < conversions->count; i++)
        question_done(&conversions->questions[i]);
    conversions->count = 0;
    map_clear(&conversions->answers);
}

void crd_conversions_done(struct crd_conversions *conversions)
{
    crd_conversions_clear(conversions);
    mem_free(conversions->questions);
    map_done(&conversions->answers);
}

static struct str key_str(const uint8_t key[static SHA256_LEN])
{
    return str_from((const char *)key, SHA256_LEN);
}

void crd_conversions_put(struct crd_conversions *conversions, const struct crd_question *question,
                         struct json_doc *converted)
{
    conversions->answers.release = release_answer;
    json_doc_free(map_put(&conversions->answers, key_str(question->key), converted));
}

const struct json_value *crd_conversion_webhook(const struct kind *kind)
{
    const struct json_doc *conversion = kind->is_custom ? crd_of_kind(kind)->conversion : NULL;
    return conversion ? json_doc_root(conversion) : NULL;
}

const struct kind *crd_conversions_view(struct crd_conversions *conversions, struct arena *arena,
                                        const struct kind *kind)
{
    const struct crd *crd = crd_of_kind(kind);
    struct crd *view = ARENA_NEW(arena, struct crd);
    *view = *crd;
    view->conversions = conversions;
    view->versions = arena_alloc_array(arena, crd->version_count, sizeof(view->versions[0]));
    view->served = arena_alloc_array(arena, crd->served_count, sizeof(view->served[0]));
    for (size_t i = 0; i < crd->version_count; i++) {
        view->versions[i] = crd->versions[i];
        view->versions[i].crd = view;
    }
    for (size_t i = 0; i < crd->served_count; i++)
        view->served[i] = &view->versions[crd_version_of(crd->served[i]) - crd->versions].kind;
    view->storage = &view->versions[crd->storage - crd->versions];
    return &view->versions[crd_version_of(kind) - crd->versions].kind;
}

struct crd_conversions *crd_conversions_of(const struct kind *kind)
{
    return kind->is_custom ? crd_of_kind(kind)->conversions : NULL;
}

bool crd_keeps_version(const struct kind *kind)
{
    return crd_conversion_webhook(kind) && !crd_conversions_of(kind);
}

/* The object as the webhook gets it: kube-apiserver stores objects without a resourceVersion. */
static struct error *without_version(const struct json_value *object, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    json_edit_remove(&edit, JSON_PLACE("metadata.resourceVersion"));
    return json_edit_finish(&edit, ret_doc);
}

static void hash_question(struct crd_question *question)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    SCOPED(sha256) sha = {0};
    json_write(&text, json_doc_root(question->object));
    sha256_add(&sha, question->to.version);
    sha256_add(&sha, STR("\n"));
    sha256_add(&sha, buf_str(&text));
    sha256_finish(&sha, question->key);
}

/* Metadata is that of the object before, but for labels and annotations. */
static struct error *restore_metadata(const struct json_value *object, struct json_doc *converted,
                                      struct json_doc **ret_doc)
{
    static const struct json_place places[] = {{.path = "metadata.labels"},
                                               {.path = "metadata.annotations"}};
    const struct json_value *root = json_doc_root(converted);
    const struct json_value *metadata = json_get(object, STR("metadata"));
    SCOPED(json_edit) edit;
    json_edit_init(&edit, root);
    if (metadata)
        json_edit_set(&edit, JSON_PLACE("metadata"), metadata);
    for (size_t i = 0; i < COUNT(places); i++) {
        const struct json_value *value = json_path(root, places[i].path);
        if (json_type(value) == JSON_OBJECT)
            json_edit_set(&edit, places[i], value);
        else
            json_edit_remove(&edit, places[i]);
    }
    return json_edit_finish(&edit, ret_doc);
}

/* The same question may be asked twice in one step; it is written down once. */
static void note_question(struct crd_conversions *conversions, struct crd_question *question)
{
    for (size_t i = 0; i < conversions->count; i++)
        if (memcmp(conversions->questions[i].key, question->key, SHA256_LEN) == 0) {
            question_done(question);
            return;
        }
    ARRAY_PUSH(conversions->questions, conversions->count, conversions->capacity, *question);
}

/*
 * An object may be stored in a version that the definition has no more, or that the definition of a
 * long watch does not have yet. No webhook is asked about such objects.
 */
static struct error *check_known(const struct crd *crd, const struct json_value *object)
{
    struct gvk gvk = {0};
    const struct str version = json_path_str(object, "apiVersion");
    OWNED(error) malformed = gvk_from_api_version(version, json_path_str(object, "kind"), &gvk);
    if (!malformed && crd_find_version(crd, gvk.version))
        return NULL;
    struct error *err =
        error_new(ERROR_UNKNOWN, "request to convert CR from an invalid group/version: %.*s",
                  STR_ARG(version));
    err->http_status = 500;
    return err;
}

struct error *crd_convert_by_webhook(const struct crd_version *to, struct json_doc *doc,
                                     struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {.limit = 0};
    struct crd_conversions *conversions = to->crd->conversions;
    struct crd_question question = {.to = to->kind.gvk};
    const struct json_value *object = json_doc_root(doc);
    const struct str wanted = gvk_api_version(&arena, to->kind.gvk);
    if (str_eq(json_path_str(object, "apiVersion"), wanted)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    if (!conversions)
        return error_new(ERROR_INTERNAL, "convert to %.*s: no webhook may be called here",
                         STR_ARG(wanted));
    TRY(check_known(to->crd, object));
    TRY(without_version(object, &question.object));
    hash_question(&question);
    struct json_doc *answer = map_find(&conversions->answers, key_str(question.key));
    if (answer) {
        question_done(&question);
        return restore_metadata(object, answer, ret_doc);
    }
    note_question(conversions, &question);
    return error_new(ERROR_SERVICE_UNAVAILABLE, "the conversion to %.*s is not known yet",
                     STR_ARG(wanted));
}
