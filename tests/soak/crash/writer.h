/*
 * A writer: creates, updates, patches and deletes objects of its own as fast as it is answered, and
 * enters each answer into the ledger.
 */
#pragma once

#include "soak/crash/crash_fixture.h"

#define WRITER_OBJECTS 9

struct writer {
    struct crash_fixture *fixture;
    struct ledger_object *objects[WRITER_OBJECTS];
    struct ledger_object *share; /* its field of an object all writers write */
};

/* The ledger learns of its objects. */
void writer_init(struct writer *writer, struct crash_fixture *fixture, unsigned number);

/*
 * A fiber's function, of a struct writer. Suspends until the server has been killed; an error
 * before that is one.
 */
struct error *writer_run(void *data);

/* One write to an object that exists or not, acknowledged or not. Suspends. */
MUST_USE struct error *writer_put(struct crash_fixture *fixture, struct ledger_object *object);
