/*
 * How much is under way: requests in all, watches per user. What is too much is told to come again,
 * and what would never end by itself is ended when the gate closes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/list.h"
#include "base/map.h"
#include "base/str.h"

struct fiber;

struct gate {
    size_t requests, requests_max;
    size_t watches_max; /* per user */
    struct map watches; /* user -> count */
    struct list stays;  /* struct gate_stay */
    bool is_closed;     /* the server is about to stop */
};

/* 0 means the default. */
void gate_init(struct gate *gate, size_t requests_max, size_t watches_max);
void gate_done(struct gate *gate);

/* Nothing new is let in, and stays are cancelled. */
void gate_close(struct gate *gate);

/* What the calling fiber does now may last for ever: closing the gate cancels it. */
struct gate_stay {
    struct list_link link;
    struct fiber *fiber;
};
void gate_stay_begin(struct gate *gate, struct gate_stay *stay);
void gate_stay_end(struct gate_stay *stay);

/* ERROR_TOO_MANY_REQUESTS when full. Every entry has its exit. */
MUST_USE struct error *gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);
MUST_USE struct error *gate_enter_watch(struct gate *gate, struct str user);
void gate_leave_watch(struct gate *gate, struct str user);
