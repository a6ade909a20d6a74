/*
 * Versions of Kubernetes as servers tell them: "v1.24.3+k3s1". Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* False for a version that cannot be read, too. */
bool server_version_is_before(struct str version, int64_t major, int64_t minor);

/* Why a set with a policy cannot be applied to such a server, in the arena; empty: it can. */
struct str server_version_policy_refusal(struct arena *arena, struct str version);
