/* Evictions: a Pod is deleted unless a PodDisruptionBudget forbids it. */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Serves POST of pods/<name>/eviction. Suspends. */
MUST_USE struct error *handle_eviction(struct request *request);
