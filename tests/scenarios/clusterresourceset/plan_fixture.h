/*
 * corset plan against the embedded API server, without its command line.
 *
 *     SCOPED(plan_fixture) planned = {0};
 *     plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
 *     plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
 *     CHECK_EQ(buf_str(&planned.table), STR("1 cluster  no change\n"));
 *     plan_fixture_check_nothing_written(&fixture);
 */
#pragma once

#include "cmd/plan_render.h"
#include "cmd/plan_source.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define PLAN_FIXTURE_TIMEOUT (10 * SECOND)

struct plan_fixture {
    struct client *client;
    struct plan_source source;
    struct preview_secrets secrets;
    struct preview preview;
    struct buf table, all; /* all: in every form */
};

void plan_fixture_done(struct plan_fixture *planned);

/* Adds a ConfigMap or Secret as a file would. */
void plan_fixture_add_file(struct plan_fixture *planned, const char *kind, const char *name,
                           const char *text);

/* Adds policy p with this spec as a file would. */
void plan_fixture_add_policy(struct plan_fixture *planned, const char *spec);

/* Plans all sets of the namespace, through the proxies, and forgets what they noted before. */
void plan_fixture_run(struct plan_fixture *planned, struct crs_fixture *fixture,
                      enum crs_reconcile_with way);

/* corset why cluster/c1 set/crs1 NAME: the table is what it prints of the object. */
MUST_USE struct error *plan_fixture_why(struct plan_fixture *planned, struct crs_fixture *fixture,
                                        const char *name, bool *ret_is_same);

/* Whatever was asked for is a read, or a dry run. */
void plan_fixture_check_nothing_written(const struct crs_fixture *fixture);
