/* Bindings: a scheduler says on which node a Pod runs. */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Serves POST of pods/<name>/binding and of bindings. Suspends. */
MUST_USE struct error *handle_binding(struct request *request);
