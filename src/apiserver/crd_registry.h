/*
 * CustomResourceDefinitions at work: what is stored becomes kinds that are served.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/registry/kind.h"
#include "apiserver/storage/store.h"
#include "base/error.h"

struct api;

#define CRD_RESOURCE  STR("customresourcedefinitions.apiextensions.k8s.io")
#define CRD_FINALIZER STR("customresourcecleanup.apiextensions.k8s.io")

bool crd_registry_is_crd(const struct kind *kind);

/* The kind of definitions with the steps that know them: defaults, validation, the finalizer. */
const struct kind *crd_registry_kind(const struct kind *kind);

/* All of them, at start. Suspends. */
MUST_USE struct error *crd_registry_load(struct api *api);

/* Texts in YAML, one definition each: those that are missing are made. Suspends. */
MUST_USE struct error *crd_registry_install(struct api *api, const struct str *texts, size_t count);

/* This one changed, if it is one: its status is settled and its kinds are served. Suspends. */
void crd_registry_update(struct api *api, struct store_id id);
