/* The inside of an own_writes, for tests of how much it keeps. */
#pragma once

#include "base/map.h"
#include "controller/cache/own_writes.h"

struct own_writes {
    struct cache *cache;
    enum own_writes_kept kept;
    struct map entries; /* "namespace/name" -> struct own_write */
    size_t sweep_at;    /* number of entries at which the next sweep takes place */
};
