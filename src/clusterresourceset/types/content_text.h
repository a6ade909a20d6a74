/*
 * The error texts for a value that cannot be read. For content.c, and for content_resources.c,
 * which quotes nothing of a file: one that was named by mistake may be anything, a key for example.
 *
 * There are two. The whole text quotes the document, as Cluster API does; it is for a user who has
 * the resource as a file. The public text is for conditions, events and logs: a long document is
 * cut, and nothing of a Secret is quoted; it says only which document it is, where, and what kind
 * of mistake.
 */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "json/yaml/manifest.h"

/* Bytes of a quoted document in a public text. */
#define CONTENT_TEXT_QUOTE_MAX 1024

struct content_text {
    const struct error *err; /* from manifest_read(), with its fault */
    const struct manifest_fault *fault;
    struct str key; /* of the value; empty if it is the only one */
    bool secret;
};

MUST_USE struct error *content_text_whole(const struct content_text *text);
MUST_USE struct error *content_text_public(const struct content_text *text);
