/*
 * Whether an object is what it is meant to be, judged by what the server says of it.
 *
 * Pure functions over the server's copy. Anything but ready has a reason; texts are constants or
 * live as long as the object. Fields of a wrong type count as absent.
 */
#pragma once

#include "base/timestamp.h"
#include "framework/graph.h"

struct readiness {
    enum graph_readiness state;
    struct str reason, message;
};

/* By kind; wait_completion: a Job that runs is not ready. */
struct readiness readiness_check(const struct object *object, bool wait_completion, timestamp now);

/* For owners of this framework: one of which nobody has spoken yet is not ready. */
struct readiness readiness_check_strict(const struct object *object);

/* A Secret of this type, complete if it is one for TLS. */
struct readiness readiness_check_secret(const struct object *object, struct str type);
