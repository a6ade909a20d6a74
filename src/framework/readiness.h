/*
 * Readiness: is an object in the state its spec asks for, judged by the status the server reports.
 *
 * Pure functions over the server's copy, after kstatus of sigs.k8s.io/cli-utils. Anything but
 * ready has a reason. Texts are constants or live as long as the object. Fields of a wrong type
 * count as absent.
 */
#pragma once

#include "base/timestamp.h"
#include "framework/graph.h"

struct readiness {
    enum graph_readiness state;
    struct str reason, message;
};

/* Judges by kind. wait_completion: a Job that is still running is not ready. */
struct readiness readiness_check(const struct object *object, bool wait_completion, timestamp now);

/* False for kinds that are ready as soon as they exist: nobody has to fetch one to know. */
bool readiness_has_rules(struct str group, struct str kind);

/*
 * For owners of other controllers made with this framework: without conditions they are not ready.
 */
struct readiness readiness_check_strict(const struct object *object);

/* For external Secrets: the type must match, and a Secret for TLS must be complete. */
struct readiness readiness_check_secret(const struct object *object, struct str type);
