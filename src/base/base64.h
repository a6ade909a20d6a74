/*
 * Base64 with the semantics of Go's encoding/base64, which Kubernetes uses for the data of Secrets.
 *
 * Decoding skips carriage returns and newlines anywhere, requires padding in the standard alphabet
 * and none in the URL alphabet, and ignores left-over bits. An error names the position of the
 * wrong byte, counted from 0, as Go's CorruptInputError does.
 *
 * Results are appended to the caller's buffer, which may be marked secret. When a result passes the
 * limit of the buffer, buf_check() reports it.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Standard alphabet, padded. */
void base64_encode(struct buf *buf, struct str bytes);

/* ERROR_PARSE leaves the buffer unchanged. */
MUST_USE struct error *base64_decode(struct buf *buf, struct str text);

/*
 * Appends what can be decoded before the first mistake and returns the position of that mistake, or
 * STR_NONE. Secret data of ClusterResourceSets is read this way.
 */
size_t base64_decode_lenient(struct buf *buf, struct str text);

/* The alphabet for URLs ('-' and '_'), unpadded, as in JSON Web Tokens. */
void base64_encode_url(struct buf *buf, struct str bytes);
MUST_USE struct error *base64_decode_url(struct buf *buf, struct str text);
