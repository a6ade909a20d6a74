/*
 * SHA-1 of one text. It is broken as protection against forgery. It is used only where a protocol
 * demands it: the handshake of WebSockets.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

#define SHA1_LEN 20

void sha1_of(struct str bytes, uint8_t ret_digest[static SHA1_LEN]);
