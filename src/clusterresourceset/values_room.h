/*
 * Room for plans with the values of a Cluster in their objects: each is a copy of the contents of a
 * set, and stays as long as its cluster is worked on. All of them together have one limit.
 *
 * A namespace may have as much of the room as it leaves free. One that fills its part, with
 * clusters that hang, leaves half of the room to the next one, which leaves half of that. Whoever
 * gets nothing asks again after VALUES_ROOM_PAUSE.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/duration.h"
#include "base/map.h"
#include "base/str.h"

/* Several times VALUES_FILL_MAX: what one cluster gets always fits while nobody has anything. */
#define VALUES_ROOM_MAX   ((size_t)64 * 1024 * 1024)
#define VALUES_ROOM_PAUSE SECOND

/* The zero value is an empty room. */
struct values_room {
    size_t used;
    struct map parties; /* namespace -> struct values_party */
};

struct values_party;

/* A part of the room. The zero value is none. */
struct values_claim {
    struct values_room *room;
    struct values_party *party;
    size_t bytes;
};

/* Nothing may be claimed any more. */
void values_room_done(struct values_room *room);

/* False: there is no room now, and *ret_claim is not written. */
bool values_room_take(struct values_room *room, struct str namespace, size_t bytes,
                      struct values_claim *ret_claim);

/* Gives the part back. The claim is the zero value then. */
void values_claim_done(struct values_claim *claim);
