/*
 * What a server says about an object that must stay secret, without what it quotes of the object.
 *
 * Servers and their webhooks put values into their messages: 'spec.port: Invalid value: 70000: …'.
 * For a Secret, and for what comes out of one, "…" stands in the place of a value. The object's
 * kind, name and namespace stay.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* True for a Secret. */
bool apply_redaction_is_secret(const struct object *object);

/*
 * An error that a server sent, with its message in such words. Takes the error and returns another
 * one, without details; errors of our own are returned as they are, since they quote nothing.
 */
MUST_USE struct error *apply_redaction_error(const struct object *object, struct error *err);

/* Adds the message, at most 1 KiB of it. */
void apply_redaction_write(const struct object *object, struct str message, struct buf *out);
