/*
 * Shortens a text for people: its beginning and its end stay, joined by "…".
 *
 * The beginning says where something went wrong, the end says why. Words stay whole, characters do
 * in any case: only what is too long for a word (a key in base64, say) is cut in between.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* Longer than any name of Kubernetes. */
#define SHORTEN_WORD_MAX ((size_t)256)

/* Adds the text to out, or at most max bytes of it and "…". */
void shorten_text(struct buf *out, struct str text, size_t max);

/* The beginning alone, at most max bytes, without "…". */
struct str shorten_to_beginning(struct str text, size_t max);
