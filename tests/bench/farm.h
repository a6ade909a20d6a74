/*
 * Servers of many clusters for measurements, each at its own address, with an authority and
 * certificates of its own. They run in a process of their own, so that all figures are the
 * client's. On demand some of them are sick.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

#define FARM_PEM     (size_t)1536
#define FARM_ADDRESS 32

/* What a server and its client hold, as text. */
struct farm_credentials {
    char authority[FARM_PEM], server[FARM_PEM], server_key[FARM_PEM];
    char client[FARM_PEM], client_key[FARM_PEM];
};

enum farm_manner {
    FARM_WELL,
    FARM_BLACK_HOLE,   /* takes bytes, perhaps, and never says anything */
    FARM_SLOW,         /* answers after two seconds */
    FARM_RESETS,       /* breaks the connection when it is asked for something */
    FARM_UNAUTHORIZED, /* 401 */
    FARM_EXPIRED,      /* its certificate is too old */
};

struct farm {
    size_t count;
    bool has_sick; /* 35 of a hundred: 10 black holes, 10 slow, 5 of each other sort */
    uint16_t port;
    int credentials; /* memory that all processes share */
    pid_t servers;
};

/* Makes all certificates; begin before there is a loop in this process. */
void farm_open(struct farm *farm);
void farm_close(struct farm *farm);

void farm_start(struct farm *farm);
void farm_stop(struct farm *farm);

enum farm_manner farm_manner(const struct farm *farm, size_t index);
void farm_address(size_t index, char text[static FARM_ADDRESS]);
struct farm_credentials farm_credentials(const struct farm *farm, size_t index);

/* Appends what a kubeconfig Secret of that cluster holds. */
void farm_kubeconfig(const struct farm *farm, size_t index, struct buf *out);
