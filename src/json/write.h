/*
 * Pieces of JSON text, for the writers of this folder.
 */
#pragma once

#include "json/json_internal.h"

/* Quoted and escaped as encoding/json does it. */
void write_string(struct buf *buf, struct str s, unsigned flags);

/* Any value except a container that is not empty. */
void write_scalar(struct buf *buf, const yyjson_val *val, unsigned flags);
