/*
 * The reserve: a file beside the database that takes space on the disk, so that objects can be
 * deleted when the disk is full. It is given up for the moment of a commit and taken back after
 * it: what is free meanwhile may be taken by any other program.
 *
 * The file stays open, so that a process without free file descriptors can still use it. Its
 * content means nothing. Calls come from any thread, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct store_reserve {
    int fd;      /* -1: not open */
    size_t size; /* what it takes at present */
};

/* Deletes change a few pages each; a group of them is kept much smaller than this. */
#define STORE_RESERVE_SIZE ((size_t)8 << 20)

/* Opens the file beside the database, or makes it. Gives up what it took, and takes nothing yet. */
MUST_USE struct error *store_reserve_open(struct store_reserve *reserve, const char *database);
void store_reserve_close(struct store_reserve *reserve);

/* Takes as much of its size as the disk has. False when that is not all. */
bool store_reserve_take(struct store_reserve *reserve);
void store_reserve_give_up(struct store_reserve *reserve);

/* What the disk has for others than root. A file system that does not tell has INT64_MAX. */
int64_t store_reserve_free_space(const struct store_reserve *reserve);
