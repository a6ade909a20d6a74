/*
 * rollout_decide() takes steps until none follows, then decides about every cluster.
 *
 * A step looks at the phase and at the clusters of the wave. A cluster counts unless it is paused.
 * An unreachable one does not hold its wave up, but a wave is only finished if the revision has
 * come to one of its clusters at least.
 *
 * Slots are given out wave by wave: first to clusters that are unfinished anyway, those that are
 * worked on before the others, then to those that have not begun, in the order of the list.
 */
#include "clusterresourceset/rollout.h"

#include <string.h>

#include "clusterresourceset/types/approval.h"
#include "json/path.h"

#define RANK_LAST 6 /* of rank_for_slot() */

static const struct str phase_names[ROLLOUT_PHASES] = {
    [ROLLOUT_NONE] = STR_INIT(""),
    [ROLLOUT_ROLLING] = STR_INIT("Rolling"),
    [ROLLOUT_SOAKING] = STR_INIT("Soaking"),
    [ROLLOUT_WAITING_FOR_APPROVAL] = STR_INIT("WaitingForApproval"),
    [ROLLOUT_HALTED] = STR_INIT("Halted"),
    [ROLLOUT_ROLLED_OUT] = STR_INIT("RolledOut"),
};

struct str rollout_phase_name(enum rollout_phase phase)
{
    return phase_names[phase];
}

/* Copies a text that fits, and nothing of one that does not. */
static void copy_text(char *out, size_t max, struct str text)
{
    const size_t len = text.len <= max ? text.len : 0;
    if (len)
        memcpy(out, text.ptr, len);
    out[len] = 0;
}

static enum rollout_phase read_phase(struct str name)
{
    for (size_t i = ROLLOUT_ROLLING; i < ROLLOUT_PHASES; i++)
        if (str_eq(name, phase_names[i]))
            return (enum rollout_phase)i;
    return ROLLOUT_NONE;
}

/* People may have written anything there. */
struct rollout_state rollout_read(const struct object *set)
{
    struct rollout_state state = {.phase = ROLLOUT_NONE};
    struct str text;
    OWNED(json_doc) doc = NULL;
    if (!object_find_annotation(set, STR(ROLLOUT_ANNOTATION), &text))
        return state;
    OWNED(error) err = json_read(text, &doc);
    const struct json_value *root = json_doc_root(doc);
    const struct str revision = json_path_str(root, "revision");
    if (err || revision.len != DELIVERY_REVISION_LEN ||
        !timestamp_read(json_path_str(root, "since"), &state.since))
        return (struct rollout_state){.phase = ROLLOUT_NONE};
    state.phase = read_phase(json_path_str(root, "state"));
    copy_text(state.revision, DELIVERY_REVISION_LEN, revision);
    copy_text(state.last, DELIVERY_REVISION_LEN, json_path_str(root, "last"));
    copy_text(state.wave, ROLLOUT_NAME_MAX, json_path_str(root, "wave"));
    return state;
}

static void write_member(struct buf *out, const char *name, struct str value)
{
    buf_print(out, "%s\"%s\":", out->len > 1 ? "," : "", name);
    buf_add_json_string(out, value);
}

void rollout_write(const struct rollout_state *state, struct buf *out)
{
    char since[TIMESTAMP_TEXT_MAX];
    buf_add_char(out, '{');
    write_member(out, "revision", str_from_c(state->revision));
    write_member(out, "wave", str_from_c(state->wave));
    write_member(out, "state", phase_names[state->phase]);
    write_member(out, "since", timestamp_write(state->since, since));
    if (state->last[0])
        write_member(out, "last", str_from_c(state->last));
    buf_add_char(out, '}');
}

/* Times are compared as they are written. */
bool rollout_state_eq(const struct rollout_state *a, const struct rollout_state *b)
{
    return a->phase == b->phase && a->since / SECOND == b->since / SECOND &&
           strcmp(a->revision, b->revision) == 0 && strcmp(a->last, b->last) == 0 &&
           strcmp(a->wave, b->wave) == 0;
}

size_t rollout_wave_count(const struct delivery_policy *policy)
{
    return policy->wave_count + 1;
}

struct str rollout_wave_name(const struct delivery_policy *policy, size_t wave)
{
    return wave < policy->wave_count ? policy->waves[wave].name : STR(ROLLOUT_OTHERS);
}

size_t rollout_wave_of(const struct delivery_policy *policy, const struct json_value *labels)
{
    for (size_t i = 0; i < policy->wave_count; i++)
        if (selector_matches(&policy->waves[i].selector, labels))
            return i;
    return policy->wave_count;
}

size_t rollout_wave_find(const struct delivery_policy *policy, struct str name)
{
    size_t wave = 0;
    while (wave < rollout_wave_count(policy) && !str_eq(rollout_wave_name(policy, wave), name))
        wave++;
    return wave;
}

bool rollout_is_approved(struct str tokens, struct str revision, struct str wave)
{
    SCOPED(buf) token = {.limit = 0};
    buf_print(&token, "%.*s/%.*s", STR_ARG(revision), STR_ARG(wave));
    return approval_has(tokens, buf_str(&token));
}

/* The clusters of one wave. */
struct wave_count {
    size_t clusters;   /* that count */
    size_t finished;   /* done or failed */
    size_t unfinished; /* neither, and reachable */
};

struct rollout_machine {
    const struct rollout_facts *facts;
    struct rollout_decision decision;
    size_t wave; /* of the state */
    struct wave_count waves[ROLLOUT_WAVES_MAX];
};

static bool is_finished(enum rollout_stage stage)
{
    return stage >= ROLLOUT_DONE;
}

static bool has_failed(enum rollout_stage stage)
{
    return stage == ROLLOUT_FAILED || stage == ROLLOUT_OVERDUE;
}

static void count_waves(struct rollout_machine *machine)
{
    for (size_t i = 0; i < machine->facts->count; i++) {
        const struct rollout_cluster *cluster = &machine->facts->clusters[i];
        struct wave_count *wave = &machine->waves[cluster->wave];
        if (cluster->is_paused)
            continue;
        wave->clusters++;
        wave->finished += is_finished(cluster->stage);
        wave->unfinished += !is_finished(cluster->stage) && !cluster->is_unreachable;
        machine->decision.counts.clusters++;
        machine->decision.counts.done += cluster->stage == ROLLOUT_DONE;
    }
}

/* While a wave soaks, a cluster that is not ready any more has failed; a halt ends when it is. */
static size_t count_failed(const struct rollout_machine *machine)
{
    const enum rollout_phase phase = machine->decision.state.phase;
    const bool minds_relapse = phase == ROLLOUT_SOAKING || phase == ROLLOUT_HALTED;
    size_t failed = 0;
    for (size_t i = 0; i < machine->facts->count; i++) {
        const struct rollout_cluster *cluster = &machine->facts->clusters[i];
        const bool relapsed = minds_relapse && cluster->stage == ROLLOUT_RELAPSED &&
                              !cluster->is_unreachable && cluster->wave <= machine->wave;
        failed += !cluster->is_paused && (has_failed(cluster->stage) || relapsed);
    }
    return failed;
}

static bool is_over_limit(const struct rollout_machine *machine)
{
    return count_failed(machine) > machine->decision.counts.tolerated;
}

/* Every cluster that can be reached has the revision or has failed, and there is one such. */
static bool is_wave_finished(const struct wave_count *wave)
{
    return wave->finished && !wave->unfinished;
}

static void add_news(struct rollout_machine *machine, enum rollout_news_type type, size_t wave)
{
    struct rollout_decision *decision = &machine->decision;
    if (decision->news_count < COUNT(decision->news))
        decision->news[decision->news_count++] = (struct rollout_news){type, wave};
}

static void put_phase(struct rollout_machine *machine, enum rollout_phase phase)
{
    machine->decision.state.phase = phase;
    machine->decision.state.since = machine->facts->now;
}

static void put_wave(struct rollout_machine *machine, size_t wave)
{
    machine->wave = wave;
    copy_text(machine->decision.state.wave, ROLLOUT_NAME_MAX,
              rollout_wave_name(machine->facts->policy, wave));
}

static bool needs_approval(const struct rollout_machine *machine, size_t wave)
{
    const struct rollout_facts *facts = machine->facts;
    return wave < facts->policy->wave_count && facts->policy->waves[wave].approval &&
           !rollout_is_approved(facts->tokens, facts->revision,
                                rollout_wave_name(facts->policy, wave));
}

static void finish_rollout(struct rollout_machine *machine)
{
    put_wave(machine, machine->wave);
    put_phase(machine, ROLLOUT_ROLLED_OUT);
    copy_text(machine->decision.state.last, DELIVERY_REVISION_LEN, machine->facts->revision);
    add_news(machine, ROLLOUT_NEWS_ROLLED_OUT, machine->wave);
}

/* Goes to this wave, or to the next one that has clusters. */
static void enter_wave(struct rollout_machine *machine, size_t wave)
{
    const size_t count = rollout_wave_count(machine->facts->policy);
    while (wave < count && !machine->waves[wave].clusters)
        wave++;
    if (wave == count) {
        finish_rollout(machine);
        return;
    }
    const bool waits = needs_approval(machine, wave);
    put_wave(machine, wave);
    put_phase(machine, waits ? ROLLOUT_WAITING_FOR_APPROVAL : ROLLOUT_ROLLING);
    if (!waits)
        add_news(machine, ROLLOUT_NEWS_STARTED, wave);
}

/* What every cluster has already does not go through waves. */
static void begin_rollout(struct rollout_machine *machine)
{
    const struct rollout_counts *counts = &machine->decision.counts;
    put_wave(machine, 0);
    copy_text(machine->decision.state.revision, DELIVERY_REVISION_LEN, machine->facts->revision);
    enter_wave(machine,
               counts->done == counts->clusters ? rollout_wave_count(machine->facts->policy) : 0);
}

/* The wave is not in the policy any more: the rollout goes on where clusters are not finished. */
static void pass_vanished(struct rollout_machine *machine)
{
    const size_t count = rollout_wave_count(machine->facts->policy);
    size_t wave = 0;
    while (wave < count &&
           (!machine->waves[wave].clusters || is_wave_finished(&machine->waves[wave])))
        wave++;
    if (machine->decision.state.phase == ROLLOUT_HALTED)
        put_wave(machine, wave < count ? wave : count - 1);
    else
        enter_wave(machine, wave);
}

static duration find_soak(const struct rollout_machine *machine)
{
    const struct delivery_policy *policy = machine->facts->policy;
    return machine->wave < policy->wave_count ? policy->waves[machine->wave].soak : 0;
}

static bool is_soaked(const struct rollout_machine *machine)
{
    const duration soak = find_soak(machine);
    return !soak || machine->facts->now - machine->decision.state.since >= soak;
}

/* The time is written in whole seconds: the next wave must not begin early. */
static void begin_soak(struct rollout_machine *machine)
{
    put_phase(machine, ROLLOUT_SOAKING);
    if (find_soak(machine))
        machine->decision.state.since = (machine->facts->now + SECOND - 1) / SECOND * SECOND;
    add_news(machine, ROLLOUT_NEWS_FINISHED, machine->wave);
}

/* One step. Returns whether there was one. */
static bool take_step(struct rollout_machine *machine)
{
    const enum rollout_phase phase = machine->decision.state.phase;
    const struct wave_count *wave = &machine->waves[machine->wave];
    if (phase != ROLLOUT_HALTED && is_over_limit(machine)) {
        put_phase(machine, ROLLOUT_HALTED);
        add_news(machine, ROLLOUT_NEWS_HALTED, machine->wave);
        return true;
    }
    switch (phase) {
    case ROLLOUT_HALTED:
        if (is_over_limit(machine))
            return false;
        enter_wave(machine, machine->wave);
        return true;
    case ROLLOUT_WAITING_FOR_APPROVAL:
        if (wave->clusters && needs_approval(machine, machine->wave))
            return false;
        enter_wave(machine, machine->wave);
        return true;
    case ROLLOUT_ROLLING:
        if (wave->clusters && !is_wave_finished(wave))
            return false;
        if (wave->clusters)
            begin_soak(machine);
        else
            enter_wave(machine, machine->wave + 1);
        return true;
    case ROLLOUT_SOAKING:
        if (wave->clusters && !is_soaked(machine))
            return false;
        enter_wave(machine, machine->wave + 1);
        return true;
    default:
        return false;
    }
}

static void take_steps(struct rollout_machine *machine)
{
    struct rollout_state *state = &machine->decision.state;
    const struct delivery_policy *policy = machine->facts->policy;
    const bool is_same = str_eq(str_from_c(state->revision), machine->facts->revision);
    machine->wave = rollout_wave_find(policy, str_from_c(state->wave));
    const bool is_known = machine->wave < rollout_wave_count(policy);
    if (!is_known)
        machine->wave = 0;
    if (state->phase == ROLLOUT_NONE || !is_same)
        begin_rollout(machine);
    else if (!is_known && state->phase != ROLLOUT_ROLLED_OUT)
        pass_vanished(machine);
    while (state->phase != ROLLOUT_ROLLED_OUT && take_step(machine))
        continue;
}

/* Whether the wave has begun, so that its clusters may get the revision. */
static bool is_open(const struct rollout_machine *machine, size_t wave)
{
    const enum rollout_phase phase = machine->decision.state.phase;
    if (phase == ROLLOUT_ROLLED_OUT || phase == ROLLOUT_HALTED)
        return phase == ROLLOUT_ROLLED_OUT;
    return wave < machine->wave || (wave == machine->wave && phase != ROLLOUT_WAITING_FOR_APPROVAL);
}

/* Of a set that has been everywhere, or a Cluster that is newer than the set. */
static bool joins(const struct rollout_machine *machine, const struct rollout_cluster *cluster)
{
    return cluster->stage == ROLLOUT_ABSENT && (cluster->is_new || machine->decision.state.last[0]);
}

/* A wave that has not begun, or has finished, does not limit those who join. */
static bool joins_at_once(const struct rollout_machine *machine,
                          const struct rollout_cluster *cluster)
{
    const enum rollout_phase phase = machine->decision.state.phase;
    return joins(machine, cluster) && phase != ROLLOUT_HALTED &&
           !(phase == ROLLOUT_ROLLING && cluster->wave == machine->wave);
}

/* Those with a lower number come first; 0: no slot is needed. */
static int rank_for_slot(const struct rollout_cluster *cluster)
{
    static const int ranks[] = {
        [ROLLOUT_ABSENT] = 5, [ROLLOUT_OTHER] = 5,          [ROLLOUT_OTHER_BEGUN] = 4,
        [ROLLOUT_BEGUN] = 3,  [ROLLOUT_SETTLING] = 2,       [ROLLOUT_RELAPSED] = 2,
        [ROLLOUT_DONE] = 0,   [ROLLOUT_FAILED] = RANK_LAST, [ROLLOUT_OVERDUE] = 0,
    };
    return cluster->runs || cluster->runs_other ? 1 : ranks[cluster->stage];
}

/* Why a cluster that has not begun may not, whatever slots there are. */
static enum rollout_hold find_hold(const struct rollout_machine *machine,
                                   const struct rollout_cluster *cluster, bool is_in_flight)
{
    const enum rollout_phase phase = machine->decision.state.phase;
    if (phase == ROLLOUT_HALTED)
        return ROLLOUT_HOLD_HALTED;
    if (is_in_flight)
        return ROLLOUT_HOLD_FLIGHT;
    if (is_open(machine, cluster->wave))
        return ROLLOUT_FREE;
    return cluster->wave == machine->wave ? ROLLOUT_HOLD_APPROVAL : ROLLOUT_HOLD_WAVE;
}

/* What every wave may have unfinished at the same time. */
static void find_limits(const struct rollout_machine *machine, size_t limits[ROLLOUT_WAVES_MAX])
{
    const struct delivery_policy *policy = machine->facts->policy;
    for (size_t i = 0; i < rollout_wave_count(policy); i++)
        limits[i] = i < policy->wave_count ? delivery_policy_at_most(policy->waves[i].at_a_time,
                                                                     machine->waves[i].clusters)
                                           : machine->waves[i].clusters;
}

/* A cluster that is worked on has its slot anyway. What still gets another revision asks again. */
static void give_slot(const struct rollout_machine *machine, struct rollout_cluster *cluster,
                      bool is_in_flight, size_t *left)
{
    const bool is_beginning =
        !cluster->runs && !cluster->runs_other && cluster->stage <= ROLLOUT_OTHER_BEGUN;
    const enum rollout_hold hold =
        is_beginning ? find_hold(machine, cluster, is_in_flight) : ROLLOUT_FREE;
    const bool has_slot = !hold && (*left || cluster->runs || cluster->runs_other);
    cluster->hold = hold                  ? hold
                    : cluster->runs_other ? ROLLOUT_HOLD_FLIGHT
                    : has_slot            ? ROLLOUT_FREE
                                          : ROLLOUT_HOLD_TURN;
    if (has_slot && *left)
        --*left;
}

/* Nothing can begin there now. When that is over, it has to ask. */
static void hold_unreachable(const struct rollout_machine *machine, struct rollout_cluster *cluster)
{
    const enum rollout_hold hold =
        cluster->stage <= ROLLOUT_OTHER_BEGUN ? find_hold(machine, cluster, false) : ROLLOUT_FREE;
    cluster->hold = is_finished(cluster->stage) ? ROLLOUT_FREE : hold ? hold : ROLLOUT_HOLD_TURN;
}

static void hold_clusters(const struct rollout_machine *machine)
{
    const struct rollout_facts *facts = machine->facts;
    size_t limits[ROLLOUT_WAVES_MAX];
    bool is_in_flight = false;
    find_limits(machine, limits);
    for (size_t i = 0; i < facts->count; i++)
        is_in_flight |= facts->clusters[i].runs_other;
    for (int rank = 0; rank <= RANK_LAST; rank++)
        for (size_t i = 0; i < facts->count; i++) {
            struct rollout_cluster *cluster = &facts->clusters[i];
            if (rank_for_slot(cluster) != rank)
                continue;
            if (!rank || joins_at_once(machine, cluster))
                cluster->hold = ROLLOUT_FREE;
            else if (cluster->is_paused || cluster->is_unreachable)
                hold_unreachable(machine, cluster);
            else
                give_slot(machine, cluster, is_in_flight, &limits[cluster->wave]);
        }
}

/* No wave begins with an incomplete revision; who joins gets what there is. */
static void hold_incomplete(const struct rollout_machine *machine)
{
    for (size_t i = 0; i < machine->facts->count; i++) {
        struct rollout_cluster *cluster = &machine->facts->clusters[i];
        cluster->hold =
            cluster->stage > ROLLOUT_OTHER_BEGUN || cluster->runs || joins_at_once(machine, cluster)
                ? ROLLOUT_FREE
                : ROLLOUT_HOLD_INCOMPLETE;
    }
}

static void fill_counts(struct rollout_machine *machine)
{
    struct rollout_counts *counts = &machine->decision.counts;
    const struct wave_count *wave = &machine->waves[machine->wave];
    counts->failed = count_failed(machine);
    counts->in_wave = wave->clusters;
    counts->behind = wave->clusters - wave->finished;
}

struct rollout_decision rollout_decide(const struct rollout_state *before,
                                       const struct rollout_facts *facts)
{
    struct rollout_machine machine = {.facts = facts, .decision = {.state = *before}};
    struct rollout_decision *decision = &machine.decision;
    count_waves(&machine);
    decision->counts.tolerated =
        delivery_policy_tolerated(facts->policy->max_failures, decision->counts.clusters);
    if (facts->is_incomplete) {
        machine.wave = rollout_wave_find(facts->policy, str_from_c(before->wave));
        if (machine.wave == rollout_wave_count(facts->policy))
            machine.wave = 0;
        hold_incomplete(&machine);
    } else {
        if (decision->counts.clusters)
            take_steps(&machine);
        hold_clusters(&machine);
    }
    fill_counts(&machine);
    if (decision->state.phase == ROLLOUT_SOAKING && !facts->is_incomplete) {
        decision->soaks_until = decision->state.since + find_soak(&machine);
        decision->look_after = decision->soaks_until - facts->now;
    }
    return *decision;
}

void rollout_write_hold(const struct rollout_state *state, struct str wave, enum rollout_hold hold,
                        struct buf *out)
{
    const struct str phase = phase_names[state->phase];
    switch (hold) {
    case ROLLOUT_HOLD_WAVE:
        buf_print(out, "waits for wave %.*s; the rollout is in wave %s (%.*s)", STR_ARG(wave),
                  state->wave, STR_ARG(phase));
        break;
    case ROLLOUT_HOLD_TURN:
        buf_print(out, "waits for its turn in wave %.*s", STR_ARG(wave));
        break;
    case ROLLOUT_HOLD_APPROVAL:
        buf_print(out, "waits for the approval of wave %.*s: token %s/%.*s", STR_ARG(wave),
                  state->revision, STR_ARG(wave));
        break;
    case ROLLOUT_HOLD_HALTED:
        buf_print(out, "waits, because the rollout is halted in wave %s", state->wave);
        break;
    case ROLLOUT_HOLD_INCOMPLETE:
        buf_add(out, STR("waits until all resources of the set exist and can be used"));
        break;
    case ROLLOUT_HOLD_FLIGHT:
        buf_add(out, STR("waits until clusters that are at work are done"));
        break;
    case ROLLOUT_FREE:
        break;
    }
}
