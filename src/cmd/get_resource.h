/* Which resource a person means: "pods", "po", "Pod", "deploy", "crontabs.example.com". */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "base/arena.h"
#include "base/error.h"
#include "cmd/get_source.h"

struct get_resource {
    struct gvr gvr;
    bool is_namespaced;
};

/* Built-in kinds are known; others are looked up in the discovery of all clusters. Suspends. */
MUST_USE struct error *get_resource_find(struct get_source *source, struct arena *arena,
                                         struct str name, struct get_resource *ret_resource);
