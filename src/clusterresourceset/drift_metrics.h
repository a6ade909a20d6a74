/*
 * Metrics about drift: corset_drift_detected_total and corset_drift_repaired_total, which are
 * counted as it happens; corset_contested_objects, corset_drift_check_seconds and
 * corset_drift_watches, which are counted when they are shown.
 */
#pragma once

#include "base/str.h"

struct crs_controllers;

/* Without options.metrics these do nothing. */
void drift_metrics_add(struct crs_controllers *controllers);
void drift_metrics_remove(struct crs_controllers *controllers);

/* One object, of this kind ("apps/Deployment"), was found to have drifted, or was put back. */
void drift_metrics_note_detected(struct crs_controllers *controllers, struct str kind);
void drift_metrics_note_repaired(struct crs_controllers *controllers, struct str kind);
