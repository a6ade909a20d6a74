#include "apiserver/api.h"
#include "apiserver/endpoints/handle_delete.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/gc/gc_internal.h"
#include "async/loop.h"
#include "json/path.h"

static bool node_exists(const struct gc *gc, struct str name)
{
    SCOPED(store_object) found = {0};
    const struct store_id id = {STR("nodes"), {.name = name}};
    OWNED(error) missing = store_get(gc->api->store, id, &found);
    return !missing;
}

/* Whether the object is a Pod that waits for a kubelet which is not there. */
static bool waits_in_vain(const struct gc *gc, const struct kind *kind,
                          const struct delete_result *result)
{
    const struct json_value *object = json_doc_root(result->object);
    return !result->is_gone && str_eq(kind->stored_as, STR("pods")) && metadata_grace(object) > 0 &&
           !node_exists(gc, json_path_str(object, "spec.nodeName"));
}

struct error *gc_delete(struct gc *gc, const struct kind *kind, struct key key,
                        struct delete_options options, struct delete_result *ret_result)
{
    const timestamp now = loop_wall(gc->api->loop);
    TRY(handle_delete_object(gc->api, kind, key, &options, now, ret_result));
    if (!waits_in_vain(gc, kind, ret_result))
        return NULL;
    options.has_grace = true;
    options.grace_seconds = 0;
    options.resource_version = (struct str){0}; /* the first deletion has changed it */
    return handle_delete_object(gc->api, kind, key, &options, now, ret_result);
}
