/*
 * The kinds that an API serves, sorted once for all who ask until the definitions change.
 *
 * A list is shared and immutable. It holds references to the custom kinds in it, so these stay
 * valid as long as the list, while definitions change.
 */
#pragma once

#include "apiserver/registry/kind_discovery.h"
#include "base/error.h"
#include "base/map.h"
#include "base/owned.h"

struct store_edit;

/*
 * Versions of custom resources that one API serves. Discovery, OpenAPI and the removal of a
 * namespace visit each of them. A cluster with thousands of definitions has two versions of few.
 */
#define SERVED_VERSIONS_MAX 5000

struct served_kinds;

/* definitions: name -> struct api_definition; the revision is that of api->kinds_revision. */
struct served_kinds *served_kinds_new(const struct map *definitions, uint64_t revision);
struct served_kinds *served_kinds_ref(struct served_kinds *served);
void served_kinds_free(struct served_kinds *served); /* gives one reference back */
DEFINE_OWNED(served_kinds)

uint64_t served_kinds_revision(const struct served_kinds *served);

/* In the order of discovery: built-in kinds first, in the order of their table. */
struct kind_list served_kinds_list(const struct served_kinds *served);

/* The custom kind of a gvk, or NULL. It lives as long as the list. */
const struct kind *served_kinds_find(const struct served_kinds *served, struct gvk gvk);

/*
 * 422 if the edit of a definition would make an API serve more than SERVED_VERSIONS_MAX versions.
 * One that adds no version is never refused. Definitions that are not served yet count as if they
 * had as many versions as they may have.
 */
MUST_USE struct error *served_kinds_check_room(const struct map *definitions,
                                               const struct store_edit *edit);
