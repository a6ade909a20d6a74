/*
 * Rotation: new keys and, if wanted, a new authority, which make every credential useless that was
 * handed out before.
 *
 * The new files are prepared in pki/next. Who holds the lock of the data folder applies them: the
 * server that runs, the next one that starts, or the command itself. It moves them into place and
 * removes pki/next when everything else has followed; that pki/next is gone tells that the rotation
 * is complete. An interrupted rotation is continued by the next one who looks. A rotation that is
 * prepared while an earlier one is applied but not complete makes the credentials of that one
 * useless, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Nothing is done when a rotation waits that is not applied yet: it does what this one would do.
 * ERROR_NOT_FOUND when there is nothing to be rotated, ERROR_CONFLICT when another rotation is
 * being prepared. Blocks.
 */
MUST_USE struct error *credential_rotation_prepare(const char *pki, bool new_authority,
                                                   int64_t now);

/*
 * Whether a rotation is not complete, whether some of its files are not yet in place, and whether
 * one of these is a new authority.
 */
bool credential_rotation_is_prepared(const char *pki);
bool credential_rotation_waits(const char *pki);
bool credential_rotation_has_authority(const char *pki);

/* Moves the files into place. Nothing is done when no rotation waits. Blocks. */
MUST_USE struct error *credential_rotation_apply(const char *pki);

/* The rotation is complete. One that was prepared after it goes on waiting. */
MUST_USE struct error *credential_rotation_finish(const char *pki);
