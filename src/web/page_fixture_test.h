/* Facts for tests of pages: sets, clusters and bindings from short descriptions. */
#pragma once

#include "base/duration.h"
#include "web/html.h"
#include "web/web_facts.h"
#include "web/web_query.h"
#include "web/web_view.h"

/* 2026-01-01T00:10:00Z */
#define PAGE_NOW ((timestamp)1767226200 * SECOND)

/* A set of namespace d that selects clusters with the label a=b; its resource is ConfigMap cm. */
void page_fixture_add_set(struct web_facts *facts, const char *name);

/* A cluster of namespace d with the labels a=b and env=prod. */
void page_fixture_add_cluster(struct web_facts *facts, const char *name);

/*
 * What the binding of a cluster says of a set. why NULL: it is applied; else it failed with this
 * message, a JSON string without its quotes, at the second that is given.
 */
void page_fixture_add_binding(struct web_facts *facts, const char *cluster, const char *set,
                              const char *why, int second);

/* One set cni, clusters vc-0000 and so on, the first failed ones of them not applied. Finished. */
void page_fixture_fill(struct web_facts *facts, size_t clusters, size_t failed);

/* Renders the page of a target, and its status. */
int page_fixture_render(const struct web_facts *facts, const char *target, struct html *html);
