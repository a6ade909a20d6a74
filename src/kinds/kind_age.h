/*
 * Ages as tables show them: "5s", "3m2s", "4d7h", "2y31d". The older, the coarser.
 */
#pragma once

#include "base/buf.h"
#include "base/timestamp.h"

/* The time between both; "<invalid>" when from lies more than a moment in the future. */
void kind_age_write(struct buf *out, timestamp from, timestamp now);
