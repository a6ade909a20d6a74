/*
 * What is said about a value that cannot be read. Private to content.c.
 *
 * Two texts: the whole one quotes the document, as Cluster API does, for whoever has it on the desk
 * anyway. The public one is for conditions, events and logs: a long document is cut, and nothing a
 * Secret holds appears in it, only which document it is, where in it, and the kind of mistake.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "json/yaml/manifest.h"

/* Of a quoted document in a public text. */
#define CONTENT_TEXT_QUOTE_MAX 1024

struct content_text {
    const struct error *err; /* from manifest_read(), with its fault */
    const struct manifest_fault *fault;
    struct str key; /* of the value; empty when it is the only one */
    bool secret;
};

MUST_USE struct error *content_text_whole(const struct content_text *text);
MUST_USE struct error *content_text_public(const struct content_text *text);
