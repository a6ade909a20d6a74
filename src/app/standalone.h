/*
 * An API server for corset up, corset apiserver and corset demo: with the kinds of Cluster API and
 * its add-ons, and with its virtual clusters registered as Clusters.
 *
 * Each virtual cluster has a Cluster in namespace default, labelled corset.dev/virtual, and a
 * Secret <name>-kubeconfig. standalone_new() creates or updates both before it returns. Virtual
 * clusters start empty, so it also clears what bindings of an earlier run recorded for them.
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

/* Fills in the members webhooks and definitions of the options. Suspends. */
MUST_USE struct error *standalone_new(struct loop *loop, const struct apiserver_options *options,
                                      struct standalone **ret_standalone);

/* See apiserver_free(). Suspends. */
void standalone_free(struct standalone *standalone);
DEFINE_OWNED(standalone)

struct apiserver *standalone_server(const struct standalone *standalone);

/* "https://127.0.0.1:7443": the address to connect to. */
struct str standalone_url(const struct standalone *standalone);

/*
 * As apiserver_keep_credentials(); the Secrets of the virtual clusters follow as well. changed is
 * called first.
 */
void standalone_keep_credentials(struct standalone *standalone, credentials_changed_fn *changed,
                                 void *data);

/* The kubeconfig of the main API's admin, and that of a virtual cluster's, by number. Secret. */
void standalone_admin_kubeconfig(const struct standalone *standalone, struct buf *out);
void standalone_cluster_kubeconfig(const struct standalone *standalone, size_t index,
                                   struct buf *out);
