/*
 * Sets that are rolled out in waves, for the scenarios FL-23 to FL-31: up to nine and more Clusters
 * on the three workload clusters, with the label "ring", and what their bindings say.
 *
 *     rollout_fixture_begin(&fixture, 3, "ce-");   c1 is canary, c2 early, c3 neither
 *     rollout_fixture_turn_on(&fixture, WAVES);    everything was applied without waves before
 *     rollout_fixture_change(&fixture, ROLLOUT_FIXTURE_TEXT("2"));
 */
#pragma once

#include "scenarios/clusterresourceset/delivery_fixture.h"

#define ROLLOUT_FIXTURE_TEXT(text) CRS_FIXTURE_MANIFEST("a", text)
#define ROLLOUT_FIXTURE_WAVE(name, more) \
    "{\"name\":\"" name "\",\"clusterSelector\":{\"matchLabels\":{\"ring\":\"" name "\"}}" more "}"
#define ROLLOUT_FIXTURE_POLICY(waves, more) \
    "{\"drift\":\"Ignore\",\"rollout\":{\"waves\":[" waves "]" more "}}"

/*
 * Clusters c1 and so on, cm1, policy p without waves, and crs1; everything is applied. A letter for
 * each: c canary, e early, l late, - none. The first and all canaries are workload cluster c1, the
 * others are c2 and c3 in turns.
 */
void rollout_fixture_begin(struct crs_fixture *fixture, const char *rings);

/* One more of them. */
void rollout_fixture_add(struct crs_fixture *fixture, size_t number, char ring);

/* The policy has waves from now on, and the set is rolled out. */
void rollout_fixture_turn_on(struct crs_fixture *fixture, const char *spec);

/* cm1 has another text from now on; suspends until the rollout of it has begun. */
void rollout_fixture_change(struct crs_fixture *fixture, const char *text);

/* Member of the annotation of crs1; of the record of c<number>. Empty: it is not there. */
struct str rollout_fixture_state(struct crs_fixture *fixture, const char *member);
struct str rollout_fixture_record(struct crs_fixture *fixture, size_t number, const char *member);

/* Clusters from c<first> to c<last> whose record has the revision of the rollout, in this state. */
size_t rollout_fixture_count(struct crs_fixture *fixture, size_t first, size_t last,
                             const char *state);

/* Suspends until the annotation says "wave/state"; fails the test after hours. */
void rollout_fixture_await(struct crs_fixture *fixture, const char *text);

/* Suspends until so many of the clusters have the revision and are ready. */
void rollout_fixture_await_count(struct crs_fixture *fixture, size_t first, size_t last,
                                 size_t count);
