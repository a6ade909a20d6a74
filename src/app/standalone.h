/*
 * An API server that stands on its own: with the kinds of Cluster API and its add-ons, and its
 * virtual clusters registered as such.
 *
 * Each virtual cluster has a Cluster in namespace default, labelled corset.dev/virtual, and a
 * Secret <name>-kubeconfig that reaches it. Both are there when standalone_new() returns, however
 * often it is called on one folder. What bindings recorded of virtual clusters of an earlier run is
 * cleared, because these are gone.
 */
#pragma once

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct loop;
struct standalone;

#define STANDALONE_NAMESPACE     STR("default")
#define STANDALONE_VIRTUAL_LABEL STR("corset.dev/virtual")

/* webhooks and definitions of the options are filled in here. Suspends. */
MUST_USE struct error *standalone_new(struct loop *loop, const struct apiserver_options *options,
                                      struct standalone **ret_standalone);

/* See apiserver_free(). Suspends. */
void standalone_free(struct standalone *standalone);
DEFINE_OWNED(standalone)

struct apiserver *standalone_server(const struct standalone *standalone);

/* "https://127.0.0.1:7443": the address that was asked for, if one can call it. */
struct str standalone_url(const struct standalone *standalone);

/* Of the main API's admin, and of a virtual cluster's, by number. Secret. */
void standalone_admin_kubeconfig(const struct standalone *standalone, struct buf *out);
void standalone_cluster_kubeconfig(const struct standalone *standalone, size_t index,
                                   struct buf *out);
