/*
 * The Go type of a row of tests/support/data/oracle/strategicpatch.jsonl, which names kinds only.
 */
#pragma once

#include "apimachinery/rows_test.h"
#include "apiserver/types/go_type.h"

static inline const struct go_type *go_type_of_row(const struct json_value *row)
{
    static const char *const versions[] = {"v1", "apps/v1", "rbac.authorization.k8s.io/v1",
                                           "networking.k8s.io/v1"};
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct gvk gvk;
        CHECK_OK(gvk_from_api_version(str_from_c(versions[i]), json_path_str(row, "kind"), &gvk));
        if (go_type_find(gvk))
            return go_type_find(gvk);
    }
    return NULL;
}
