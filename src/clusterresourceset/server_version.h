/*
 * Versions of Kubernetes as servers tell them: "v1.24.3+k3s1". Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* False for a version that cannot be read, too. */
bool server_version_is_before(struct str version, int64_t major, int64_t minor);
