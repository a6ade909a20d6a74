/*
 * The table of functions that all built-in kinds share.
 */
#include "apiserver/registry/kind_builtin.h"

const struct kind_ops kind_builtin_ops = {
    .decode = kind_builtin_decode,
    .default_ = kind_builtin_default,
    .prepare = kind_builtin_prepare,
    .validate = kind_builtin_validate,
    .present = kind_builtin_present,
    .cells = kind_builtin_cells,
    .warn = kind_builtin_warn,
};
