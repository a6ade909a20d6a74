/*
 * Create, update and patch. Reading the request happens first and may suspend:
 *
 *     handle_create() / handle_update() / handle_patch()
 *       read_options()    Accept, dryRun, fieldManager, fieldValidation
 *       read_body()       bytes -> document -> decode -> default_     (a patch stays a patch)
 *       commit_write()    webhooks (write_webhooks.h), its turn at quotas, then api_decide() with
 *                         write_check_request(), write_draft() and write_accept()
 */
#include "apiserver/endpoints/handle_write.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd/scale.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/endpoints/write_admission.h"
#include "apiserver/endpoints/write_draft.h"
#include "apiserver/endpoints/write_webhooks.h"
#include "apiserver/quota_claim.h"
#include "apiserver/webhooks/webhook_admission.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/loop.h"
#include "json/path.h"

#define GENERATE_ATTEMPTS 8

/* How often a write is shown to webhooks again because the object has changed meanwhile. */
#define WEBHOOK_ATTEMPTS 8

/* The uid is drawn here and not in the draft, which may be made more than once. */
static struct error *decide_write(struct write *write, int64_t expected,
                                  struct store_object *ret_object)
{
    struct request *request = write->request;
    const struct key key = request_key(request, write->name);
    const struct store_decision decision = {write_check_request, write_draft, write_accept, write,
                                            write->size};
    SCOPED(quota_claim) quota = {0};
    if (!request->subresource.len)
        TRY(quota_claim_take(&quota, request->api, request->arena, write->kind, key,
                             write_may_create(write)));
    request->quota = &quota;
    struct error *err =
        api_decide(request->api, api_id(write->kind, key), expected, &decision, ret_object);
    request->quota = NULL;
    return err;
}

/* Whether the object is another one than webhooks were asked about. */
static bool is_outdated(const struct error *err, int64_t expected)
{
    return expected != STORE_ANY &&
           (error_is(err, ERROR_CONFLICT) || error_is(err, ERROR_NOT_FOUND) ||
            error_is(err, ERROR_ALREADY_EXISTS));
}

static struct error *change_object(struct write *write, struct store_object *ret_object)
{
    random_uuid(loop_random(write->request->api->loop), write->uid);
    for (size_t i = 0; i < WEBHOOK_ATTEMPTS; i++) {
        int64_t expected;
        TRY(write_ask_webhooks(write, &expected));
        struct error *err = decide_write(write, expected, ret_object);
        if (!is_outdated(err, expected))
            return err;
        error_free(err);
    }
    return status_conflict_modified(kind_gvr(write->kind), write->name);
}

/* What a large write has stored, for the response. On a worker thread. */
struct written {
    struct write *write;
    const struct object_text *text;
};

static struct error *read_written(void *data)
{
    const struct written *written = data;
    return codec_read_stored(written->write->kind, written->text, &written->write->result);
}

static struct error *commit_write(struct write *write)
{
    SCOPED(store_object) stored = {0};
    TRY(change_object(write, &stored));
    if (write->result)
        return NULL;
    struct written written = {write, stored.text};
    return webhook_conversion_run(write->kind, object_text_size(stored.text), read_written,
                                  &written);
}

/* The rules of definitions with functions of their own (crd_webhooks.h) are enforced by these. */
static bool is_enforced(const struct write *write)
{
    return crd_webhooks_find(write->request->api->webhooks, json_doc_root(write->result));
}

static struct error *respond_write(struct write *write)
{
    OWNED(json_doc) scale = NULL;
    const int status = write->created ? 201 : 200;
    if (crd_registry_is_crd(write->kind) && !is_enforced(write))
        crd_registry_warn(json_doc_root(write->result), &write->request->warnings);
    if (!write_is_scale(write))
        return response_send_doc(write->request, &write->format, status, write->result);
    TRY(scale_read(write->kind, json_doc_root(write->result), &scale));
    return response_send_doc(write->request, &write->format, status, scale);
}

static struct error *read_body(struct write *write)
{
    const struct kind scale = scale_kind();
    const struct kind *kind = write_is_scale(write) ? &scale : write->kind;
    size_t len;
    TRY(body_read_kind(write->request, kind, write->options.validation, &write->body, &len));
    /* Defaults can make a small body large. In memory a document is twice as long as its text. */
    const size_t size = json_size(json_doc_root(write->body)) / 2;
    write->size = size > len ? size : len;
    return kind->is_custom ? crd_check_version(write->kind, json_doc_root(write->body)) : NULL;
}

static struct error *read_options(struct write *write, bool is_apply)
{
    TRY(negotiate(write->request, &write->format));
    return write_options_read(write->request, is_apply, &write->options);
}

/* Tries the given name, or generated names until one is free. */
static struct error *create_named(struct write *write)
{
    const struct json_value *object = json_doc_root(write->body);
    const struct str prefix = json_path_str(object, "metadata.generateName");
    write->name = json_path_str(object, "metadata.name");
    if (write->name.len || prefix.len == 0)
        return commit_write(write);
    struct error *err = NULL;
    for (size_t i = 0; i < GENERATE_ATTEMPTS; i++) {
        error_free(err);
        write->name = metadata_generate_name(write->request->arena,
                                             loop_random(write->request->api->loop), prefix);
        write->name_is_generated = true;
        err = commit_write(write);
        if (!error_is(err, ERROR_ALREADY_EXISTS))
            break;
    }
    return err;
}

struct error *handle_create(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind};
    TRY(read_options(&write, false));
    TRY(read_body(&write));
    TRY(write_check_place(&write, json_doc_root(write.body)));
    TRY(create_named(&write));
    return respond_write(&write);
}

struct error *handle_update(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind, .name = request->name};
    TRY(read_options(&write, false));
    TRY(read_body(&write));
    TRY(write_check_place(&write, json_doc_root(write.body)));
    TRY(commit_write(&write));
    return respond_write(&write);
}

/* Takes the fault of a patch. An object that is not there is the greater fault. */
static struct error *refuse_patch(const struct write *write, struct error *fault)
{
    OWNED(error) owned = fault;
    return !write_may_create(write) && write_is_absent(write)
               ? status_not_found(kind_gvr(write->kind), write->name)
               : TAKE(owned);
}

struct error *handle_patch(struct request *request)
{
    SCOPED(write) write = {.request = request, .kind = request->kind, .name = request->name};
    TRY(patch_type_read(request, &write.patch.type));
    TRY(read_options(&write, write.patch.type == PATCH_APPLY));
    SCOPED(buf) body = {.limit = 0};
    TRY(body_read(request, &body));
    struct error *fault = patch_read(request, buf_str(&body), &write.patch);
    if (fault)
        return refuse_patch(&write, fault);
    write.size = body.len + patch_growth(&write.patch);
    TRY(commit_write(&write));
    return respond_write(&write);
}
