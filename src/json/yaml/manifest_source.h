/*
 * Looks into the source of a YAML document, for what libyaml does not tell.
 *
 * go-yaml v2 has an older scanner than libyaml. Where libyaml accepts more than it, or understands
 * something else, its events do not show that, but the text does.
 */
#pragma once

#include <yaml.h>

#include "json/yaml/manifest_internal.h"

struct manifest_source {
    struct str text;
    size_t byte, position; /* the same place, in bytes and in characters */
    bool is_readable;      /* UTF-8; nobody looks into UTF-16 */
    bool has_slash_escapes;
};

void manifest_source_init(struct manifest_source *source, struct str text);

/* What go-yaml has against a scalar, or NULL. Scalars are asked about in the order of the text. */
const char *manifest_source_objection(struct manifest_source *source, const yaml_event_t *event,
                                      bool in_flow);

/* Where the escape \' stands that made the scanner fail, or STR_NONE. */
size_t manifest_source_find_escape(struct manifest_source *source, const yaml_parser_t *yaml);

/* Refuses a text before libyaml sees it. */
MUST_USE struct error *manifest_source_check(struct manifest_scope *scope, struct str text);

/* The place of a byte; libyaml's reader counts in these. */
struct manifest_mark manifest_mark_at(struct str text, size_t byte);
