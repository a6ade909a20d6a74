/*
 * How much memory the process takes while something goes on, at its highest.
 *
 * It counts what is allocated under the address sanitizer; without one it shows 0, and checks of it
 * check nothing.
 */
#pragma once

#include <stddef.h>

/* From now on. */
void memory_gauge_begin(void);

/* The highest since then, above what was in use then. */
size_t memory_gauge_peak(void);
