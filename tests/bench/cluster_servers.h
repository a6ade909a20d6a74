/*
 * API servers of many clusters, for measurements. Each has its own address, certificate authority
 * and certificates. They run in other processes, so that the figures are those of the client alone
 * and no process needs more descriptors than small machines allow. On demand some of them
 * misbehave.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "async/loop.h"
#include "base/buf.h"
#include "base/duration.h"

struct client;

#define CLUSTER_SERVERS_PEM     (size_t)1536
#define CLUSTER_SERVERS_ADDRESS 32

/*
 * Lists that every server has: Nodes and PersistentVolumes, which every tenth server keeps silent
 * about, and Pods of two kilobytes.
 */
#define CLUSTER_SERVERS_NODES 5
#define CLUSTER_SERVERS_PODS  1000

/* Servers of one process, and processes at most. */
#define CLUSTER_SERVERS_EACH      (size_t)2500
#define CLUSTER_SERVERS_PROCESSES 8

/* Watches get a bookmark at this interval, and nothing else. */
#define CLUSTER_SERVERS_BOOKMARKS (10 * SECOND)

/* What a server and its client hold, as text. */
struct cluster_servers_credentials {
    char authority[CLUSTER_SERVERS_PEM], server[CLUSTER_SERVERS_PEM],
        server_key[CLUSTER_SERVERS_PEM];
    char client[CLUSTER_SERVERS_PEM], client_key[CLUSTER_SERVERS_PEM];
};

enum cluster_servers_manner {
    CLUSTER_SERVERS_WELL,
    CLUSTER_SERVERS_BLACK_HOLE,   /* takes bytes, perhaps, and never says anything */
    CLUSTER_SERVERS_SLOW,         /* answers after two seconds */
    CLUSTER_SERVERS_RESETS,       /* breaks the connection when it is asked for something */
    CLUSTER_SERVERS_UNAUTHORIZED, /* 401 */
    CLUSTER_SERVERS_EXPIRED,      /* its certificate is too old */
};

struct cluster_servers {
    size_t count;
    duration latency; /* before a list is answered */
    bool has_sick;    /* 35 of a hundred: 10 black holes, 10 slow, 5 of each other sort */
    uint16_t port;
    int credentials; /* memory that all processes share */
    pid_t processes[CLUSTER_SERVERS_PROCESSES];
};

/* Makes all certificates; begin before there is a loop in this process. */
void cluster_servers_open(struct cluster_servers *servers);
void cluster_servers_close(struct cluster_servers *servers);

void cluster_servers_start(struct cluster_servers *servers);
void cluster_servers_stop(struct cluster_servers *servers);

/* Runs the function on a loop in a process of its own, with a heap of its own, while they serve. */
void cluster_servers_measure(struct cluster_servers *servers, fiber_fn measure, void *data);

enum cluster_servers_manner cluster_servers_manner(const struct cluster_servers *servers,
                                                   size_t index);
void cluster_servers_address(size_t index, char text[static CLUSTER_SERVERS_ADDRESS]);
struct cluster_servers_credentials
cluster_servers_credentials(const struct cluster_servers *servers, size_t index);

/* Appends what a kubeconfig Secret of that cluster holds. */
void cluster_servers_kubeconfig(const struct cluster_servers *servers, size_t index,
                                struct buf *out);

/*
 * Makes the Cluster "c<index>" in the namespace default of the management cluster, and its Secret.
 * Those that are well have the label cluster.x-k8s.io/watch-filter: well. Suspends.
 */
void cluster_servers_register(const struct cluster_servers *servers, size_t index,
                              struct client *client);
