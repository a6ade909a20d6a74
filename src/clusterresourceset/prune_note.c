#include "clusterresourceset/prune_note.h"

#include "async/loop.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/binding.h"

#define LEFT_MAX  (5 * MINUTE) /* finalizers are waited for so long */
#define PAUSE_MIN SECOND
#define PAUSE_MAX (30 * SECOND)

static void free_note(void *data)
{
    struct prune_note *note = data;
    if (!note)
        return;
    mem_free(note->token);
    mem_free(note->message);
    mem_free(note);
}

struct set_prune *set_prune_new(void)
{
    struct set_prune *prune = NEW(struct set_prune);
    prune->notes.release = free_note;
    return prune;
}

void set_prune_free(struct set_prune *prune)
{
    if (!prune)
        return;
    map_done(&prune->notes);
    map_done(&prune->occasion.clusters);
    mem_free(prune->occasion.token);
    mem_free(prune->occasion.message);
    mem_free(prune->told);
    mem_free(prune);
}

struct prune_note *prune_note_find(struct crs_set *set, struct str cluster)
{
    return map_find(&set_prune(set)->notes, cluster);
}

struct prune_note *prune_note_open(struct crs_set *set, struct str cluster)
{
    struct prune_note *note = prune_note_find(set, cluster);
    if (note)
        return note;
    note = NEW(struct prune_note);
    map_put(&set_prune(set)->notes, cluster, note);
    return note;
}

void prune_note_drop(struct crs_set *set, struct str cluster)
{
    map_remove(&set_prune(set)->notes, cluster);
}

/* Returns whether the text is another one. */
static bool replace_text(char **text, struct str now)
{
    if (str_eq(str_from_c(*text), now))
        return false;
    mem_free(*text);
    *text = now.len ? mem_dup(now.ptr, now.len) : NULL;
    return true;
}

bool prune_note_read(struct crs_set *set, struct str cluster, const struct object *binding)
{
    SCOPED(arena) arena = {0};
    struct delivery_prune prune;
    if (!delivery_find_prune(binding, set_key(set).name, &arena, &prune)) {
        const bool was_there = prune_note_find(set, cluster) != NULL;
        prune_note_drop(set, cluster);
        return was_there;
    }
    struct prune_note *note = prune_note_open(set, cluster);
    bool is_news = note->state != prune.state || note->kept != prune.kept;
    note->state = prune.state;
    note->objects = prune.objects;
    note->kept = prune.kept;
    note->is_removed = !prune.reason.len || str_eq(prune.reason, prune_reason_name(PRUNE_REMOVED));
    is_news |= replace_text(&note->token, prune.token);
    is_news |= replace_text(&note->message, prune.message);
    return is_news;
}

/* What goes into a record. */
struct prune_write {
    struct str set;
    const struct delivery_prune *prune;
    const struct delivery_kinds *gone;
    struct str now;
};

static struct error *edit_record(void *data, struct object *binding, struct object **ret_binding)
{
    const struct prune_write *write = data;
    return binding_record_prune(binding, write->set, write->prune, write->gone, write->now,
                                ret_binding);
}

struct error *prune_note_write(struct crs_controllers *controllers, struct key set,
                               struct key cluster, const struct delivery_prune *prune,
                               const struct delivery_kinds *gone)
{
    char text[TIMESTAMP_TEXT_MAX];
    const struct delivery_kinds none = {0};
    struct delivery_prune told = *prune;
    struct prune_write write = {.set = set.name, .prune = &told, .gone = gone ? gone : &none};
    told.message = str_slice(told.message, 0, DELIVERY_PRUNE_MESSAGE_MAX);
    write.now = timestamp_write(loop_wall(controllers->loop), text);
    TRY(error_ignore(binding_store_change(controllers->binding_store, cluster, edit_record, &write),
                     ERROR_NOT_FOUND),
        "failed to patch ClusterResourceSetBinding %.*s/%.*s", STR_ARG(cluster.namespace),
        STR_ARG(cluster.name));
    struct crs_set *state = set_find(controllers, set);
    OWNED(object) binding = binding_store_find(controllers->binding_store, cluster);
    if (state && binding && prune_note_read(state, cluster.name, binding))
        set_note_news(state);
    return NULL;
}

bool prune_note_is_overdue(const struct prune_note *note, int64_t now)
{
    return note && note->left_since && now - note->left_since >= LEFT_MAX;
}

duration prune_note_next_pause(struct prune_note *note, int64_t now)
{
    if (!note->left_since) {
        note->left_since = now;
        note->pause = PAUSE_MIN;
        return PAUSE_MIN;
    }
    note->pause = note->pause * 2 < PAUSE_MAX ? note->pause * 2 : PAUSE_MAX;
    return note->pause;
}
