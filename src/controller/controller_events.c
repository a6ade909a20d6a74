/*
 * Map functions for sources. An update may move an object from one owner to another, so both states
 * of the object are looked at.
 */
#include "controller/controller.h"

/* Objects that cannot be read or have no owner of this kind are ignored. */
static void enqueue_owner(const struct controller_owner *owner, const struct object_text *text,
                          struct queue *queue, int priority)
{
    OWNED(object) object = NULL;
    struct owner_reference reference;
    OWNED(error) err = object_text_read(text, &object);
    if (err || !object_find_controller(object, &reference))
        return;
    struct gvk gvk;
    err = gvk_from_api_version(reference.api_version, reference.kind, &gvk);
    if (err || !str_eq(gvk.kind, owner->kind) || !str_eq(gvk.group, owner->group))
        return;
    const struct str namespace = owner->is_cluster_scoped ? STR("") : object_namespace(object);
    queue_add(queue, (struct key){namespace, reference.name}, priority);
}

void controller_map_owner(void *data, const struct cache_event *event, struct queue *queue,
                          int priority)
{
    if (event->old)
        enqueue_owner(data, event->old, queue, priority);
    if (event->now && event->now != event->old)
        enqueue_owner(data, event->now, queue, priority);
}
