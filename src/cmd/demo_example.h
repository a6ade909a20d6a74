/* The example of the demo: examples/cni/cni.yaml, compiled in. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct content;
struct object;

#define DEMO_EXAMPLE_SET "cni"

struct demo_example {
    struct object **objects; /* of the management cluster: ConfigMaps, then the set */
    size_t count;
    struct content **contents; /* of the ConfigMaps: what clusters get */
    size_t content_count;
};

struct str demo_example_text(void);

MUST_USE struct error *demo_example_read(struct demo_example *ret_example);
void demo_example_done(struct demo_example *example);

/* The number of objects that each cluster gets. */
size_t demo_example_size(const struct demo_example *example);
