#include "clusterresourceset/values_room.h"

#include <assert.h>

#include "base/memory.h"

/* Gone when it has nothing. */
struct values_party {
    char *namespace;
    size_t used;
};

static void release_party(struct values_party *party)
{
    mem_free(party->namespace);
    mem_free(party);
}

void values_room_done(struct values_room *room)
{
    assert(!room->used);
    map_done(&room->parties);
}

static struct values_party *get_party(struct values_room *room, struct str namespace)
{
    struct values_party *party = map_find(&room->parties, namespace);
    if (!party) {
        party = NEW(struct values_party);
        party->namespace = mem_dup(namespace.ptr, namespace.len);
        map_put(&room->parties, namespace, party);
    }
    return party;
}

bool values_room_take(struct values_room *room, struct str namespace, size_t bytes,
                      struct values_claim *ret_claim)
{
    const struct values_party *known = map_find(&room->parties, namespace);
    const size_t own = known ? known->used : 0;
    const size_t left = VALUES_ROOM_MAX - room->used;
    if (!bytes) {
        *ret_claim = (struct values_claim){0};
        return true;
    }
    if (bytes > left || own > left - bytes)
        return false;
    struct values_party *party = get_party(room, namespace);
    party->used += bytes;
    room->used += bytes;
    *ret_claim = (struct values_claim){room, party, bytes};
    return true;
}

void values_claim_done(struct values_claim *claim)
{
    struct values_party *party = claim->party;
    if (!claim->room)
        return;
    claim->room->used -= claim->bytes;
    party->used -= claim->bytes;
    if (!party->used) {
        map_take(&claim->room->parties, str_from_c(party->namespace));
        release_party(party);
    }
    *claim = (struct values_claim){0};
}
