/*
 * What the server has promised: the state of each object as it was acknowledged, what was sent and
 * not answered, and every revision anybody was told.
 *
 * An object belongs to one writer, which has one request under way at a time, so that after a crash
 * an object is as it was acknowledged, or as the one unanswered request would have made it. A
 * shared object is written by many, each its own field: there the field is what belongs to one
 * writer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/owned.h"
#include "base/str.h"

enum ledger_resource {
    LEDGER_CONFIG_MAPS,
    LEDGER_WIDGETS,
    LEDGER_RESOURCES,
};

struct ledger_state {
    bool exists;
    int64_t revision; /* that made it so; 0 for a delete, which is not told its own */
    uint64_t value;
};

struct ledger_object {
    enum ledger_resource resource;
    struct str name;
    struct str field; /* below data */
    bool is_shared;
    struct ledger_state acknowledged;
    bool is_pending; /* a request was sent and its answer never came */
    struct ledger_state pending;
};

/* Who was shown what by a watch or a list: it may never be undone. */
struct ledger {
    struct arena arena;
    struct ledger_object **objects;
    size_t count, capacity;
    struct map shown[LEDGER_RESOURCES]; /* name -> newest revision */
    int64_t newest;                     /* revision that anybody was told */
    int64_t *acknowledged[LEDGER_RESOURCES];
    size_t acknowledged_count[LEDGER_RESOURCES], acknowledged_capacity[LEDGER_RESOURCES];
    uint64_t values;       /* drawn so far; each is used once */
    uint64_t writes, lost; /* acknowledged; sent and never answered */
};

void ledger_done(struct ledger *ledger);

struct ledger_object *ledger_add(struct ledger *ledger, enum ledger_resource resource,
                                 struct str name, struct str field, bool is_shared);

/* Before a request is sent: what it will do. The value is ignored for a delete. */
void ledger_begin(struct ledger *ledger, struct ledger_object *object, bool exists,
                  uint64_t *ret_value);

/*
 * The request was acknowledged with this revision, 0 for a delete; floor is the newest revision
 * known when it was sent. ERROR_INVALID when the revision repeats or goes back.
 */
MUST_USE struct error *ledger_acknowledge(struct ledger *ledger, struct ledger_object *object,
                                          int64_t revision, int64_t floor);

/* The revision of an object that an answer or an event showed. ERROR_INVALID when there is none. */
MUST_USE struct error *ledger_revision(const struct object *object, int64_t *ret_revision);

/* A watch or list showed an object, or showed that it has gone, at this revision. */
void ledger_show(struct ledger *ledger, enum ledger_resource resource, struct str name,
                 int64_t revision);

/*
 * After a restart: what the server has, NULL for nothing, settles what was pending. ERROR_INVALID
 * when it is neither what was acknowledged nor what was under way, or older than what was shown.
 */
MUST_USE struct error *ledger_settle(struct ledger *ledger, struct ledger_object *object,
                                     const struct object *found);

/* The revisions acknowledged since the last call of ledger_forget(). */
void ledger_forget(struct ledger *ledger);
