/*
 * The webhook configurations of an API, parsed once per change.
 *
 * Every write looks through all of them, so that their size is bounded: beyond
 * WEBHOOK_CONFIGURATIONS_MAX bytes no webhook is asked, and writes that webhooks may be asked about
 * are refused.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/storage/store.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "json/json.h"

struct api;

#define WEBHOOK_CONFIGURATIONS_MAX (2 * MEGABYTE)

enum webhook_type { WEBHOOK_MUTATING, WEBHOOK_VALIDATING };
#define WEBHOOK_TYPES 2

/* Zero is none. */
struct webhook_configurations {
    struct map by_type[WEBHOOK_TYPES]; /* name -> struct webhook_configuration */
    size_t bytes;                      /* of the text of all of them */
};

void webhook_configurations_done(struct webhook_configurations *configurations);

/* From the store, when an API begins and when an object of it has changed. */
MUST_USE struct error *webhook_configurations_load(struct api *api);
void webhook_configurations_update(struct api *api, struct store_id id);

/* The webhooks of a type, in the order in which they are asked. */
struct webhook_list {
    const struct json_value **items;
    size_t count;
};

/* The list lives as long as the arena. ERROR_INTERNAL when they are too large. */
MUST_USE struct error *webhook_configurations_list(const struct api *api, struct arena *arena,
                                                   enum webhook_type type,
                                                   struct webhook_list *ret_list);
