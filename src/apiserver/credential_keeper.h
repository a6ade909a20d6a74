/*
 * The credentials of a server that runs: opened at its start, renewed when they are due, replaced
 * when a rotation is prepared in their folder.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/credentials.h"
#include "async/scope.h"
#include "async/semaphore.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define CREDENTIAL_KEEPER_NAMES 8

struct loop;

/*
 * Both are called on a fiber and may suspend. After an error, which is logged, they are called
 * again.
 */
struct credential_keeper_ops {
    /* After a rotation: nothing that was begun with an old credential may go on. */
    struct error *(*rotated)(void *data);
    /* After a rotation and after a renewal: hands the new credentials out. May be NULL. */
    struct error *(*changed)(void *data);
    void *rotated_data, *changed_data;
};

struct credential_keeper {
    struct loop *loop;
    struct credential_files files;
    struct str names[CREDENTIAL_KEEPER_NAMES]; /* in the server's certificate */
    size_t name_count;
    struct arena texts;
    struct credentials *credentials;
    struct credential_keeper_ops ops;
    bool is_rotated, is_untold; /* the operations have to be called */
    struct semaphore turn;      /* one at a time uses the files */
    struct scope scope;
};

/*
 * folder is that of all data; NULL: in memory. host is the address that the server listens on.
 * was_used as in credentials_options. Blocks, for the start of a program.
 */
MUST_USE struct error *credential_keeper_open(struct credential_keeper *keeper, struct loop *loop,
                                              const char *folder, struct str host, bool was_used);

/* Suspends. */
void credential_keeper_done(struct credential_keeper *keeper);

/* Looks after the credentials until credential_keeper_stop(). To be called once. */
void credential_keeper_start(struct credential_keeper *keeper,
                             const struct credential_keeper_ops *ops);

/* Suspends. */
void credential_keeper_stop(struct credential_keeper *keeper);

/*
 * Between the two calls the files are not replaced, so that those that are read fit together.
 * credential_keeper_hold() Suspends.
 */
MUST_USE struct error *credential_keeper_hold(struct credential_keeper *keeper);
void credential_keeper_release(struct credential_keeper *keeper);
