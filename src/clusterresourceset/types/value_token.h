/*
 * A token in a manifest that stands for a value of the Cluster which the manifest is applied to:
 *
 *     ((cluster.name))                          ((cluster.namespace))
 *     ((cluster.label "KEY"))                   ((cluster.annotation "KEY"))
 *     ((cluster.field "/spec/pointer/0"))
 *
 * each with " as int" or " as bool" before the parentheses that close it, if the value is to become
 * a number or a truth value. Between its parts there is exactly one blank. A key has 1 to 1024
 * bytes, none of which is a quotation mark or a control character. Any other text is no token, also
 * if it begins like one. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define VALUE_TOKEN_KEY_MAX ((size_t)1024)

enum value_source { VALUE_NAME, VALUE_NAMESPACE, VALUE_LABEL, VALUE_ANNOTATION, VALUE_FIELD };
enum value_type { VALUE_TEXT, VALUE_INT, VALUE_BOOL };

/* Texts are borrowed from the text that the token stands in. */
struct value_token {
    enum value_source source;
    enum value_type type;
    struct str key;  /* of the label or annotation, or the JSON pointer; else empty */
    struct str text; /* all of the token */
};

/* Finds the first token of a text, and where it begins. */
bool value_token_find(struct str text, struct value_token *ret_token, size_t *ret_at);

/* "label", as it is written in a token. */
const char *value_source_name(enum value_source source);
