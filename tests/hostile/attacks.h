/*
 * The attacks. Each returns an error when the server gives something away, takes what it should
 * refuse, or does not defend itself; the healthy client and the server's memory are watched by
 * whoever runs them. All suspend.
 */
#pragma once

#include "hostile/hostile_fixture.h"

typedef struct error *attack_fn(struct hostile_fixture *fixture);

/* access_attacks.c: credentials that are none, or of somebody else. */
attack_fn attack_as_nobody;
attack_fn attack_with_forged_credentials;
attack_fn attack_secrets_by_every_path;
attack_fn attack_by_impersonation;
attack_fn attack_by_changing_what_is_not_there;
attack_fn attack_other_clusters;

/* path_attacks.c */
attack_fn attack_by_path_tricks;
attack_fn attack_by_large_heads;

/* body_attacks.c */
attack_fn attack_by_large_bodies;
attack_fn attack_by_deep_bodies;
attack_fn attack_by_yaml_bombs;
attack_fn attack_by_many_slow_bodies;

/* connection_attacks.c */
attack_fn attack_by_idle_connections;
attack_fn attack_by_many_connections;
attack_fn attack_by_silent_connections;
attack_fn attack_by_half_handshakes;
attack_fn attack_by_slow_heads;

/* frame_attacks.c: HTTP/2. */
attack_fn attack_by_floods;
attack_fn attack_by_closed_windows;

/* cost_attacks.c: what is allowed, and costs much. */
attack_fn attack_by_large_patches;
attack_fn attack_by_large_applies;
attack_fn attack_by_large_definitions;
attack_fn attack_by_costly_lists;

/* watch_attacks.c */
attack_fn attack_by_many_watches;
attack_fn attack_by_a_watcher_that_never_reads;
