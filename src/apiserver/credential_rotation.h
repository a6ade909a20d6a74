/*
 * Rotation: new keys and, if wanted, a new authority, which make every credential useless that was
 * handed out before.
 *
 * The new files are prepared in pki/next. Who holds the lock of the data folder applies them: the
 * server that runs, the next one that starts, or the command itself. It moves them into place and
 * removes pki/next when everything else has followed; that pki/next is gone tells that the rotation
 * is complete. An interrupted rotation is continued by the next one who looks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * ERROR_NOT_FOUND when there is nothing to be rotated, ERROR_CONFLICT when another rotation is
 * being prepared. Blocks.
 */
MUST_USE struct error *credential_rotation_prepare(const char *pki, bool new_authority,
                                                   int64_t now);

/* Whether a rotation waits, and whether it brings a new authority. */
bool credential_rotation_is_prepared(const char *pki);
bool credential_rotation_has_authority(const char *pki);

/* Moves the files into place. Nothing is done when no rotation waits. Blocks. */
MUST_USE struct error *credential_rotation_apply(const char *pki);

/* The rotation is complete. */
MUST_USE struct error *credential_rotation_finish(const char *pki);
