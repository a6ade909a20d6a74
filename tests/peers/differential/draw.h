/*
 * Draws sequences of requests. A number gives the same sequence every time, whatever servers
 * answer: what depends on them are variables, which are filled in while it is played.
 */
#pragma once

#include <stdint.h>

#include "peers/differential/catalogue.h"
#include "peers/differential/sequence.h"

void draw_sequence(const struct catalogue *catalogue, uint64_t number,
                   struct sequence *ret_sequence);
