/*
 * What texts of an answer consist of, as far as it differs from run to run: uids, times, ages,
 * numbers of versions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

#define WORDING_UUID_LEN ((size_t)36)

/* Where the next UUID in lower case begins, from this position on; STR_NONE for none. */
size_t wording_find_uuid(struct str text, size_t from);

struct wording_time {
    int64_t year;
    size_t decimals;
};

/* "2026-11-15T08:33:42Z", with or without decimals, and nothing else. */
bool wording_is_time(struct str text, struct wording_time *ret_time);

/* "3m2s", "<unknown>", also nothing. */
bool wording_is_age(struct str text);

/* A positive number without leading zeros. */
bool wording_is_decimal(struct str text);

/* Five letters as the server appends them to a generateName. */
bool wording_is_generated(struct str text);

/* With "#" in place of the numbers of messages on resource versions that may be any. */
struct str wording_mask_versions(struct arena *arena, struct str text);

/* With uids and times replaced: what to sort by when these are unknown. */
struct str wording_mask_moving(struct arena *arena, struct str text);

/* Whether messages that list several errors consist of the same ones, in any order. */
bool wording_is_same_list(struct arena *arena, struct str a, struct str b);
