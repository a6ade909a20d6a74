/*
 * The recording as another server would have answered it, for tests: other uids, versions and
 * times, the same everything else.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* JSON text of an answer. The same text gives the same result, different uids different ones. */
struct str disguise(struct arena *arena, struct str json);
