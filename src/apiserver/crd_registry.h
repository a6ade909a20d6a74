/* CustomResourceDefinitions at work: turns stored definitions into kinds that are served. */
#pragma once

#include <stdbool.h>

#include "apiserver/registry/kind.h"
#include "apiserver/storage/store.h"
#include "base/error.h"

struct api;

#define CRD_RESOURCE  STR("customresourcedefinitions.apiextensions.k8s.io")
#define CRD_FINALIZER STR("customresourcecleanup.apiextensions.k8s.io")

bool crd_registry_is_crd(const struct kind *kind);

/*
 * The kind of CustomResourceDefinitions with the steps that are special to it: defaults, validation
 * and the finalizer.
 */
const struct kind *crd_registry_kind(const struct kind *kind);

/* Warns of what a definition that was written asks for, and what is not enforced. */
void crd_registry_warn(const struct json_value *definition, struct json_warnings *warnings);

/* Serves all stored definitions. Called once at the start. Suspends. */
MUST_USE struct error *crd_registry_load(struct api *api);

/* Creates definitions from texts in YAML, one definition each, if they are missing. Suspends. */
MUST_USE struct error *crd_registry_install(struct api *api, const struct str *texts, size_t count);

/*
 * The object with this id was changed or deleted. If it is a definition, its status is written and
 * its kinds are served. Suspends.
 */
void crd_registry_update(struct api *api, struct store_id id);
