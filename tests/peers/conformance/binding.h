/*
 * What a replay has learnt so far: which value of this run stands for which recorded one.
 *
 * Variables, uids and generated names hold for the whole run. Resource versions are related within
 * a group, because groups may have been recorded at different times.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "json/json.h"

struct binding_version {
    int64_t recorded, actual;
};

/* Zero is a binding that knows nothing. */
struct binding {
    struct map variables;
    struct map uids, recorded_uids;   /* recorded to actual, and back */
    struct map names;                 /* generated ones */
    struct binding_version *versions; /* ascending on both sides */
    size_t version_count, version_capacity;
};

void binding_done(struct binding *binding);
void binding_begin_group(struct binding *binding);

void binding_set(struct binding *binding, struct str variable, struct str value);

/*
 * The text with {{name}} replaced by the variable and {{repeat:x:N}} by N times x. Values are
 * escaped for a URL's path where that is asked for; a variable that was never set shows as one.
 */
enum binding_escape { BINDING_PLAIN, BINDING_SEGMENT };
struct str binding_fill(const struct binding *binding, struct arena *arena, struct str text,
                        enum binding_escape escape);

/* Takes a pair of uids down; false when it contradicts what is known of either. */
bool binding_uid(struct binding *binding, struct str recorded, struct str actual);

/* The text with the uids that are known replaced by those of the other side. */
struct str binding_to_actual(const struct binding *binding, struct arena *arena, struct str text);
struct str binding_to_recorded(const struct binding *binding, struct arena *arena, struct str text);

/* Takes a pair of versions down. Empty, or why it does not fit those seen before. */
struct str binding_version(struct binding *binding, struct arena *arena, int64_t recorded,
                           int64_t actual);

/* A generated name, which is replaced wherever it occurs later. */
void binding_name(struct binding *binding, struct str recorded, struct str actual);
struct str binding_find_name(const struct binding *binding, struct str recorded);
struct str binding_rename(const struct binding *binding, struct arena *arena, struct str text);

/*
 * Sets the variables that capture (name: pointer) takes from a document. Those that end in "_name"
 * also stand for what the recorded body has there; it may be NULL.
 */
void binding_capture(struct binding *binding, struct arena *arena, const struct json_value *capture,
                     const struct json_value *document, const struct json_value *recorded_body);
