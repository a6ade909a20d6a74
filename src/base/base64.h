/*
 * Base64 with the semantics of Go's encoding/base64, which is what writes and reads Secret data.
 *
 * Decoding skips carriage returns and newlines anywhere, wants padding in the standard alphabet and
 * none in the URL one, and ignores left-over bits. An error names the byte that is wrong, counted
 * from 0, as Go's CorruptInputError does.
 *
 * Everything is appended to the caller's buffer, which may be marked secret. What does not fit the
 * buffer's limit is noticed by buf_check().
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Standard alphabet, padded. */
void base64_encode(struct buf *buf, struct str bytes);

/* ERROR_PARSE leaves the buffer as it was. */
MUST_USE struct error *base64_decode(struct buf *buf, struct str text);

/*
 * Appends what could be decoded before the first mistake, and returns the position of that mistake
 * or STR_NONE. Secret data of ClusterResourceSets is read this way.
 */
size_t base64_decode_lenient(struct buf *buf, struct str text);

/* The alphabet for URLs ('-' and '_'), unpadded, as in JSON Web Tokens. */
void base64_encode_url(struct buf *buf, struct str bytes);
MUST_USE struct error *base64_decode_url(struct buf *buf, struct str text);
