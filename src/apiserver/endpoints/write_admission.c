#include "apiserver/endpoints/write_admission.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/admission.h"
#include "json/path.h"

struct error *write_check_may_create(const struct write *write)
{
    const struct request *request = write->request;
    if (request->verb == VERB_CREATE)
        return NULL;
    struct rbac_attributes attributes = request_attributes(request);
    attributes.verb = verb_name(VERB_CREATE);
    OWNED(error) refused = authorize(&request->api->auth, request->arena, &attributes);
    return refused ? status_forbidden(kind_gvr(write->kind), write->name, STR("")) : NULL;
}

/* 409. An object that is being deleted still holds its name. */
static struct error *already_exists(const struct write *write, const struct store_edit *edit)
{
    OWNED(object) object = NULL;
    TRY(object_text_read(edit->previous, &object));
    struct error *err = status_already_exists(kind_gvr(write->kind), write->name);
    return object_is_deleting(object) ? error_wrap(err, "object is being deleted") : err;
}

/*
 * The last that a create is asked: whether it carries a version, of which a dry run knows nothing,
 * and whether its name is free.
 */
static struct error *check_free(const struct write *write, const struct store_edit *edit)
{
    uint64_t number;
    if (write->request->verb != VERB_CREATE)
        return NULL;
    const struct str version =
        json_path_str(json_doc_root(write->body), "metadata.resourceVersion");
    if (!write->options.dry_run && str_to_uint64(version, &number) && number) {
        struct error *err =
            error_new(ERROR_UNKNOWN, "resourceVersion should not be set on objects to be created");
        err->http_status = 500;
        return err;
    }
    return edit->previous ? already_exists(write, edit) : NULL;
}

/* What the draft has made is not needed any more, while the change is written to disk. */
struct error *write_accept(void *data, struct store_edit *edit)
{
    struct write *write = data;
    OWNED(json_doc) old = TAKE(write->old);
    OWNED(json_doc) doc = TAKE(write->doc);
    if (write->created)
        TRY(write_check_may_create(write));
    TRY(admission_check_object(write->request, json_doc_root(old), json_doc_root(doc)));
    return write->created ? check_free(write, edit) : NULL;
}

bool write_is_absent(const struct write *write)
{
    struct store_object found = {0};
    const struct key key = request_key(write->request, write->name);
    OWNED(error) missing = store_get(write->request->api->store, api_id(write->kind, key), &found);
    store_object_done(&found);
    return missing;
}

/*
 * Admission of the request reads the store (does the namespace exist?), so it cannot run inside of
 * the edit. Only a request that may create something is asked about.
 */
struct error *write_check_request(void *data)
{
    const struct write *write = data;
    if (write->request->verb == VERB_CREATE)
        return admission_check_request(write->request, VERB_CREATE, write->name);
    return write_may_create(write) && write_is_absent(write)
               ? admission_check_request(write->request, VERB_CREATE, write->name)
               : NULL;
}
