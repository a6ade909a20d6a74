/*
 * What every fuzz target defines; libFuzzer and replay.c call it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
