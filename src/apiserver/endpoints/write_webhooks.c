#include "apiserver/endpoints/write_webhooks.h"

#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/crd/scale.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/write_admission.h"
#include "apiserver/webhooks/webhook_admission.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "json/edit.h"
#include "json/path.h"

/* A draft that is made for webhooks, on the object as it is. Perhaps on a worker thread. */
struct webhook_draft {
    struct write *write;
    const struct store_object *basis;
};

static struct error *draft_for_webhooks(void *data)
{
    const struct webhook_draft *draft = data;
    struct store_edit edit = {.previous = draft->basis->text,
                              .previous_revision = draft->basis->revision};
    struct error *err = write_draft(draft->write, &edit);
    object_text_free(edit.text);
    return err;
}

static struct error *make_draft(struct write *write, const struct store_object *basis,
                                bool stops_at_webhooks)
{
    struct webhook_draft draft = {write, basis};
    const size_t size = write->size + (basis->text ? object_text_json(basis->text).len : 0);
    write->stops_at_webhooks = stops_at_webhooks;
    struct error *err = webhook_conversion_run(write->kind, size, draft_for_webhooks, &draft);
    write->stops_at_webhooks = false;
    return err;
}

/*
 * On a create mutating webhooks see the object without what only the server sets. A name that is
 * generated is not drawn yet for them.
 */
static struct error *hide_new(const struct write *write, struct json_doc **object)
{
    SCOPED(json_edit) edit = {0};
    struct json_doc *doc;
    json_edit_init(&edit, json_doc_root(*object));
    json_edit_remove(&edit, JSON_PLACE("metadata.uid"));
    json_edit_remove(&edit, JSON_PLACE("metadata.creationTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("metadata.generation"));
    if (write->name_is_generated)
        json_edit_remove(&edit, JSON_PLACE("metadata.name"));
    TRY(json_edit_finish(&edit, &doc));
    json_doc_free(*object);
    *object = doc;
    return NULL;
}

/*
 * Webhooks do not change who owns which fields. kube-apiserver puts back what they break; here
 * whatever they make of it is put back.
 */
static struct error *keep_owners(const struct json_doc *asked, struct json_doc **mutated)
{
    SCOPED(json_edit) edit = {0};
    struct json_doc *doc;
    json_edit_init(&edit, json_doc_root(*mutated));
    json_edit_set_unless_empty(&edit, JSON_PLACE("metadata.managedFields"),
                               json_path(json_doc_root(asked), "metadata.managedFields"));
    TRY(json_edit_finish(&edit, &doc));
    json_doc_free(*mutated);
    *mutated = doc;
    return NULL;
}

/* A webhook that names an object, or renames it, does so before the name is looked for. */
static void take_name(struct write *write)
{
    const struct str name = json_path_str(json_doc_root(write->mutated), "metadata.name");
    if (name.len && write->request->verb == VERB_CREATE && !str_eq(name, write->name)) {
        write->name = arena_str(write->request->arena, name);
        write->name_is_generated = false;
    }
}

/* Mutating webhooks: what they are shown is in asked, what they make goes to mutated. */
static struct error *ask_mutating(struct write *write, struct webhook_admission *admission)
{
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) changed = NULL;
    OWNED(json_doc) asked = TAKE(write->asked);
    if (!write_is_scale(write)) {
        if (!admission->old)
            TRY(hide_new(write, &asked));
        TRY(webhook_admission_mutate(admission, asked, &write->mutated));
        TRY(keep_owners(asked, &write->mutated));
        take_name(write);
        return NULL;
    }
    TRY(scale_read(write->kind, json_doc_root(asked), &scale));
    TRY(webhook_admission_mutate(admission, scale, &changed));
    return changed == scale ? NULL
                            : scale_write(write->kind, json_doc_root(asked), json_doc_root(changed),
                                          &write->mutated);
}

/* Validating webhooks see the object as it would be stored. */
static struct error *ask_validating(struct write *write, const struct webhook_admission *admission)
{
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) doc = TAKE(write->doc);
    if (write->created)
        TRY(write_check_may_create(write));
    if (!write_is_scale(write))
        return webhook_admission_validate(admission, json_doc_root(doc));
    TRY(scale_read(write->kind, json_doc_root(doc), &scale));
    return webhook_admission_validate(admission, json_doc_root(scale));
}

/* The object before the write, as webhooks see it. */
static struct error *show_old(const struct write *write, const struct store_object *basis,
                              struct json_doc **ret_doc)
{
    OWNED(json_doc) old = NULL;
    if (!basis->text || write->request->verb == VERB_CREATE)
        return NULL;
    TRY(codec_read_stored(write->kind, basis->text, &old));
    if (write_is_scale(write))
        return scale_read(write->kind, json_doc_root(old), ret_doc);
    *ret_doc = TAKE(old);
    return NULL;
}

struct error *write_ask_webhooks(struct write *write, int64_t *ret_expected)
{
    struct request *request = write->request;
    const struct store_id id = api_id(write->kind, request_key(request, write->name));
    const struct kind scale = scale_kind();
    SCOPED(store_object) basis = {0};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) options = NULL;
    *ret_expected = STORE_ANY;
    json_doc_free(TAKE(write->mutated));
    const bool is_admitted = webhook_admission_is_needed(request);
    if (!is_admitted && !crd_conversions_of(write->kind))
        return NULL;
    TRY(write_check_request(write));
    TRY(error_ignore(store_get(request->api->store, id, &basis), ERROR_NOT_FOUND));
    if (request->verb != VERB_CREATE)
        *ret_expected = basis.text ? basis.revision : STORE_NEW;
    if (!is_admitted)
        return make_draft(write, &basis, false);
    TRY(make_draft(write, &basis, true));
    TRY(show_old(write, &basis, &old));
    const bool creates = !old;
    TRY(write_options_doc(request, &write->options, creates, &options));
    struct webhook_admission admission = {
        .request = request,
        .kind = write->kind,
        .object_kind = write_is_scale(write) ? &scale : write->kind,
        .operation = creates ? STR("CREATE") : STR("UPDATE"),
        .name = write->name_is_generated ? STR("") : write->name,
        .dry_run = write->options.dry_run,
        .options = json_doc_root(options),
        .old = old ? json_doc_root(old) : NULL,
    };
    TRY(ask_mutating(write, &admission));
    TRY(make_draft(write, &basis, false));
    admission.name = write->name;
    return ask_validating(write, &admission);
}
