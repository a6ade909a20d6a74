/*
 * Checks the source text of a YAML document for cases where libyaml and go-yaml v2 differ.
 *
 * go-yaml v2 has an older scanner than libyaml. Where libyaml accepts more, or reads the same text
 * differently, its events do not show it, but the source text does.
 */
#pragma once

#include <yaml.h>

#include "json/yaml/manifest_internal.h"

struct manifest_source {
    struct str text;
    size_t byte, position; /* the same place, in bytes and in characters */
    bool is_readable;      /* UTF-8; UTF-16 is not checked */
    bool has_slash_escapes;
};

void manifest_source_init(struct manifest_source *source, struct str text);

/* Why go-yaml refuses a scalar, or NULL. To be called in the order of the text. */
const char *manifest_source_objection(struct manifest_source *source, const yaml_event_t *event,
                                      bool in_flow);

/* The offset of the escape \' that made the scanner fail, or STR_NONE. */
size_t manifest_source_find_escape(struct manifest_source *source, const yaml_parser_t *yaml);

/* Checks a text before libyaml parses it. */
MUST_USE struct error *manifest_source_check(struct manifest_scope *scope, struct str text);

/* Line and column of a byte offset, in which libyaml's reader reports errors. */
struct manifest_mark manifest_mark_at(struct str text, size_t byte);
