/* managedFields are often half of an object, and no reader of a cache needs them. */
#include "apimachinery/object_edit.h"
#include "controller/cache/cache.h"

struct error *cache_drop_managed_fields(void *data, struct object *object,
                                        struct object **ret_object)
{
    (void)data;
    if (!object_path(object, "metadata.managedFields")) {
        *ret_object = object_ref(object);
        return NULL;
    }
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    object_edit_drop_managed_fields(&edit);
    return object_edit_finish(&edit, ret_object);
}
