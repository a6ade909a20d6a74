#include "clusterresourceset/rollout.h"

#include <string.h>

#include "base/random.h"
#include "testing/test.h"

#define REVISION "0123456789ab"
#define OTHER    "ba9876543210"
#define NOW      ((timestamp)1000 * SECOND)

/* Two waves and the others: canary, which soaks for an hour, and early, one at a time. */
static struct delivery_policy_wave waves[] = {
    {.name = STR_INIT("canary"), .at_a_time = {100, true}, .soak = HOUR},
    {.name = STR_INIT("early"),                          .at_a_time = {1, false}                         },
};
static const struct delivery_policy policy = {.waves = waves, .wave_count = 2};

static void set_text(char *out, size_t size, const char *text)
{
    CHECK(strlen(text) < size);
    memcpy(out, text, strlen(text) + 1);
}

static struct rollout_state state_in(enum rollout_phase phase, const char *wave)
{
    struct rollout_state state = {.phase = phase, .since = NOW, .revision = REVISION};
    set_text(state.wave, sizeof(state.wave), wave);
    return state;
}

static struct rollout_decision decide_at(const struct rollout_state *before,
                                         const struct delivery_policy *by,
                                         struct rollout_cluster *clusters, size_t count,
                                         timestamp now)
{
    const struct rollout_facts facts = {
        .policy = by,
        .revision = STR(REVISION),
        .now = now,
        .clusters = clusters,
        .count = count,
    };
    return rollout_decide(before, &facts);
}

#define CLUSTERS_MAX 8

/* Reads clusters from a text such as "0d 1ox": the wave, the stage, and flags behind it. */
static size_t read_clusters(const char *text, struct rollout_cluster clusters[static CLUSTERS_MAX])
{
    static const char stages[] = "aopbsrdfv"; /* as enum rollout_stage */
    size_t count = 0;
    clusters[0] = (struct rollout_cluster){.wave = 0};
    for (const char *at = text; *at; at++) {
        struct rollout_cluster *cluster = &clusters[count ? count - 1 : 0];
        const char *stage = strchr(stages, *at);
        if (*at >= '0' && *at <= '2') {
            clusters[count++] = (struct rollout_cluster){.wave = (size_t)(*at - '0')};
        } else if (stage) {
            cluster->stage = (enum rollout_stage)(stage - stages);
        } else {
            cluster->is_new |= *at == 'n';
            cluster->is_unreachable |= *at == 'x';
            cluster->is_paused |= *at == 'z';
            cluster->runs |= *at == '!';
            cluster->runs_other |= *at == '?';
        }
    }
    return count;
}

/* The rows of the tables of section 9 of the specification. */
TEST(a_rollout_goes_from_state_to_state)
{
    static const struct {
        const char *name;
        enum rollout_phase before;
        const char *wave, *clusters;
        duration passed;
        enum rollout_phase after;
        const char *wave_after;
        const char *holds; /* one digit for each cluster: of enum rollout_hold */
    } cases[] = {
        {"nothing is known: wave one",      ROLLOUT_NONE,       "",       "0o 1o",      0,        ROLLOUT_ROLLING,    "canary",
         "01"                                                                                                                          },
        {"all have it: nothing to do",      ROLLOUT_NONE,       "",       "0d 1d",      0,        ROLLOUT_ROLLED_OUT, "canary",
         "00"                                                                                                                          },
        {"a wave that is not done",         ROLLOUT_ROLLING,    "canary", "0s 1o",      0,        ROLLOUT_ROLLING,
         "canary",                                                                                                                "01" },
        {"a wave that is done soaks",       ROLLOUT_ROLLING,    "canary", "0d 1o",      0,        ROLLOUT_SOAKING,
         "canary",                                                                                                                "01" },
        {"it soaks to the end",             ROLLOUT_SOAKING,    "canary", "0d 1o",      HOUR - 1, ROLLOUT_SOAKING,
         "canary",                                                                                                                "01" },
        {"and not longer",                  ROLLOUT_SOAKING,    "canary", "0d 1o",      HOUR,     ROLLOUT_ROLLING,    "early",
         "00"                                                                                                                          },
        {"one at a time",                   ROLLOUT_ROLLING,    "early",  "1o 1o",      0,        ROLLOUT_ROLLING,    "early",    "02" },
        {"who has begun comes first",       ROLLOUT_ROLLING,    "early",  "1o 1b",      0,        ROLLOUT_ROLLING,
         "early",                                                                                                                 "20" },
        {"who is worked on before that",    ROLLOUT_ROLLING,    "early",  "1b 1o!",     0,        ROLLOUT_ROLLING,
         "early",                                                                                                                 "20" },
        {"too many have failed",            ROLLOUT_ROLLING,    "canary", "0f 1o",      0,        ROLLOUT_HALTED,     "canary",
         "04"                                                                                                                          },
        {"not ready in time",               ROLLOUT_ROLLING,    "canary", "0v 1o",      0,        ROLLOUT_HALTED,     "canary",
         "04"                                                                                                                          },
        {"fewer have failed",               ROLLOUT_HALTED,     "canary", "0b 1o",      0,        ROLLOUT_ROLLING,    "canary",
         "01"                                                                                                                          },
        {"what leaves Ready has failed",    ROLLOUT_SOAKING,    "canary", "0r 1o",      0,        ROLLOUT_HALTED,
         "canary",                                                                                                                "04" },
        {"until it is ready again",         ROLLOUT_HALTED,     "canary", "0r 1o",      0,        ROLLOUT_HALTED,     "canary",
         "04"                                                                                                                          },
        {"then it soaks anew",              ROLLOUT_HALTED,     "canary", "0d 1o",      0,        ROLLOUT_SOAKING,    "canary",
         "01"                                                                                                                          },
        {"no wave is left",                 ROLLOUT_ROLLING,    "early",  "0d 1d",      0,        ROLLOUT_ROLLED_OUT, "early",
         "00"                                                                                                                          },
        {"rolled out is rolled out",        ROLLOUT_ROLLED_OUT, "early",  "0f 1d",      0,        ROLLOUT_ROLLED_OUT,
         "early",                                                                                                                 "00" },
        {"others come last",                ROLLOUT_ROLLING,    "early",  "1d 2o",      0,        ROLLOUT_ROLLING,    "(others)",
         "00"                                                                                                                          },
        {"an empty wave is passed",         ROLLOUT_NONE,       "",       "2o",         0,        ROLLOUT_ROLLING,    "(others)", "0"  },
        {"paused clusters do not count",    ROLLOUT_ROLLING,    "canary", "0oz 1o",     0,        ROLLOUT_ROLLING,
         "early",                                                                                                                 "20" },
        {"who cannot be reached",           ROLLOUT_ROLLING,    "canary", "0ox 0d 1o",  0,        ROLLOUT_SOAKING,
         "canary",                                                                                                                "201"},
        {"nobody can be reached",           ROLLOUT_ROLLING,    "canary", "0ox 0ox 1o", 0,        ROLLOUT_ROLLING,
         "canary",                                                                                                                "221"},
        {"back later, its wave has begun",  ROLLOUT_ROLLING,    "early",  "0o 1b",      0,        ROLLOUT_ROLLING,
         "early",                                                                                                                 "00" },
        {"a new cluster joins at once",     ROLLOUT_SOAKING,    "canary", "0d 1an",     0,        ROLLOUT_SOAKING,
         "canary",                                                                                                                "00" },
        {"not while it is halted",          ROLLOUT_ROLLING,    "canary", "0f 1an",     0,        ROLLOUT_HALTED,     "canary",
         "04"                                                                                                                          },
        {"an old one waits the first time", ROLLOUT_SOAKING,    "canary", "0d 1a",      0,        ROLLOUT_SOAKING,
         "canary",                                                                                                                "01" },
        {"clusters in flight finish first", ROLLOUT_NONE,       "",       "0o 1p?",     0,        ROLLOUT_ROLLING,
         "canary",                                                                                                                "66" },
        {"a wave that vanished is passed",  ROLLOUT_SOAKING,    "gone",   "0d 1o",      0,        ROLLOUT_ROLLING,
         "early",                                                                                                                 "00" },
        {"with all that is left",           ROLLOUT_ROLLING,    "gone",   "0d 1d",      0,        ROLLOUT_ROLLED_OUT, "canary",
         "00"                                                                                                                          },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rollout_cluster clusters[CLUSTERS_MAX];
        const struct rollout_state before = state_in(cases[i].before, cases[i].wave);
        const size_t count = read_clusters(cases[i].clusters, clusters);
        TEST_CASE("%s", cases[i].name);
        const struct rollout_decision decision =
            decide_at(&before, &policy, clusters, count, NOW + cases[i].passed);
        CHECK_EQ(rollout_phase_name(decision.state.phase), rollout_phase_name(cases[i].after));
        CHECK_EQ(str_from_c(decision.state.wave), str_from_c(cases[i].wave_after));
        CHECK_EQ(strlen(cases[i].holds), count);
        for (size_t j = 0; j < count; j++)
            CHECK_EQ((int)clusters[j].hold, cases[i].holds[j] - '0');
    }
}

TEST(another_revision_begins_at_wave_one_and_counts_failures_afresh)
{
    struct rollout_cluster clusters[CLUSTERS_MAX];
    const size_t count = read_clusters("0o 1d", clusters);
    struct rollout_state before = state_in(ROLLOUT_HALTED, "early");
    set_text(before.revision, sizeof(before.revision), OTHER);
    set_text(before.last, sizeof(before.last), REVISION);
    const struct rollout_decision decision = decide_at(&before, &policy, clusters, count, NOW);
    CHECK_EQ(decision.state.phase, ROLLOUT_ROLLING);
    CHECK_EQ(str_from_c(decision.state.wave), STR("canary"));
    CHECK_EQ(str_from_c(decision.state.revision), STR(REVISION));
    CHECK_EQ(str_from_c(decision.state.last), STR(REVISION));
    CHECK_EQ(clusters[0].hold, ROLLOUT_FREE);
}

/* After its first time everywhere, whoever has nothing of the set joins. */
TEST(a_set_that_was_rolled_out_once_is_joined_at_once)
{
    struct rollout_cluster clusters[CLUSTERS_MAX];
    const size_t count = read_clusters("0d 1o 1a 0a", clusters);
    struct rollout_state before = state_in(ROLLOUT_SOAKING, "canary");
    set_text(before.last, sizeof(before.last), OTHER);
    struct rollout_decision decision = decide_at(&before, &policy, clusters, count, NOW);
    CHECK_EQ(decision.state.phase, ROLLOUT_SOAKING);
    CHECK_EQ(clusters[1].hold, ROLLOUT_HOLD_WAVE);
    CHECK_EQ(clusters[2].hold, ROLLOUT_FREE);
    CHECK_EQ(clusters[3].hold, ROLLOUT_FREE);
    TEST_CASE("within the limit, where its wave is rolling");
    before = state_in(ROLLOUT_ROLLING, "early");
    set_text(before.last, sizeof(before.last), OTHER);
    clusters[1].stage = ROLLOUT_BEGUN;
    decision = decide_at(&before, &policy, clusters, count, NOW);
    CHECK_EQ(clusters[2].hold, ROLLOUT_HOLD_TURN);
    CHECK_EQ(clusters[3].hold, ROLLOUT_FREE);
    CHECK_EQ(decision.state.phase, ROLLOUT_ROLLING);
}

TEST(a_wave_waits_for_its_token)
{
    static const struct {
        const char *tokens;
        bool is_approved;
    } cases[] = {
        {"",                                   false},
        {"early",                              false},
        {REVISION "/earl",                     false},
        {OTHER "/early",                       false},
        {REVISION,                             false},
        {REVISION "/early",                    true },
        {"x/y, " REVISION "/early ,prune/123", true },
    };
    static struct delivery_policy_wave approved[] = {
        {.name = STR_INIT("canary"), .at_a_time = {100, true}},
        { .name = STR_INIT("early"),  .at_a_time = {100, true},         .approval = true},
    };
    const struct delivery_policy by = {.waves = approved, .wave_count = 2};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rollout_cluster clusters[CLUSTERS_MAX];
        const size_t count = read_clusters("0d 1o", clusters);
        const struct rollout_state before = state_in(ROLLOUT_ROLLING, "canary");
        const struct rollout_facts facts = {.policy = &by,
                                            .revision = STR(REVISION),
                                            .tokens = str_from_c(cases[i].tokens),
                                            .now = NOW,
                                            .clusters = clusters,
                                            .count = count};
        TEST_CASE("%s", cases[i].tokens);
        const struct rollout_decision decision = rollout_decide(&before, &facts);
        CHECK_EQ(str_from_c(decision.state.wave), STR("early"));
        CHECK_EQ(decision.state.phase == ROLLOUT_ROLLING, cases[i].is_approved);
        CHECK_EQ(clusters[1].hold, cases[i].is_approved ? ROLLOUT_FREE : ROLLOUT_HOLD_APPROVAL);
        CHECK_EQ(decision.news[decision.news_count - 1].type,
                 cases[i].is_approved ? ROLLOUT_NEWS_STARTED : ROLLOUT_NEWS_FINISHED);
    }
}

TEST(no_wave_begins_with_an_incomplete_revision)
{
    struct rollout_cluster clusters[CLUSTERS_MAX];
    const size_t count = read_clusters("0o 0a 1an 1d", clusters);
    const struct rollout_state before = state_in(ROLLOUT_SOAKING, "early");
    const struct rollout_facts facts = {.policy = &policy,
                                        .revision = STR(OTHER),
                                        .is_incomplete = true,
                                        .now = NOW + HOUR,
                                        .clusters = clusters,
                                        .count = count};
    const struct rollout_decision decision = rollout_decide(&before, &facts);
    CHECK(rollout_state_eq(&before, &decision.state));
    CHECK_EQ(clusters[0].hold, ROLLOUT_HOLD_INCOMPLETE);
    CHECK_EQ(clusters[1].hold, ROLLOUT_HOLD_INCOMPLETE);
    CHECK_EQ(clusters[2].hold, ROLLOUT_FREE);
    CHECK_EQ(clusters[3].hold, ROLLOUT_FREE);
}

TEST(the_annotation_is_read_as_it_was_written)
{
    static const char *const bad[] = {
        "",
        "x",
        "[]",
        "{}",
        ("{\"revision\":\"" REVISION "\"}"),
        "{\"revision\":\"short\",\"since\":\"2026-11-15T22:10:00Z\"}"};
    SCOPED(buf) text = {.limit = 0};
    struct rollout_state state = state_in(ROLLOUT_SOAKING, "canary");
    set_text(state.last, sizeof(state.last), OTHER);
    rollout_write(&state, &text);
    CHECK_EQ(buf_str(&text),
             STR("{\"revision\":\"" REVISION "\",\"wave\":\"canary\",\"state\":\"Soaking\","
                 "\"since\":\"1970-01-01T00:16:40Z\",\"last\":\"" OTHER "\"}"));
    for (size_t i = 0; i <= COUNT(bad); i++) {
        SCOPED(buf) body = {.limit = 0};
        OWNED(object) set = NULL;
        buf_add(&body, STR("{\"apiVersion\":\"v1\",\"kind\":\"S\",\"metadata\":{\"annotations\":{"
                           "\"" ROLLOUT_ANNOTATION "\":"));
        buf_add_json_string(&body, i < COUNT(bad) ? str_from_c(bad[i]) : buf_str(&text));
        buf_add(&body, STR("}}}"));
        CHECK_OK(object_read(buf_str(&body), &set));
        const struct rollout_state read = rollout_read(set);
        if (i < COUNT(bad))
            CHECK_EQ(read.phase, ROLLOUT_NONE);
        else
            CHECK(rollout_state_eq(&read, &state));
    }
}

/* What holds after every decision, whatever the facts are. */
static void check_decision(const struct rollout_facts *facts, const struct rollout_decision *made)
{
    size_t begins[ROLLOUT_WAVES_MAX] = {0}, unfinished[ROLLOUT_WAVES_MAX] = {0};
    size_t counted[ROLLOUT_WAVES_MAX] = {0};
    for (size_t i = 0; i < facts->count; i++) {
        const struct rollout_cluster *cluster = &facts->clusters[i];
        const bool is_beginning = cluster->stage <= ROLLOUT_OTHER_BEGUN && !cluster->runs &&
                                  !cluster->runs_other && !cluster->hold;
        const bool joins = cluster->stage == ROLLOUT_ABSENT &&
                           (cluster->is_new || made->state.last[0]) &&
                           !(made->state.phase == ROLLOUT_ROLLING &&
                             str_eq(rollout_wave_name(facts->policy, cluster->wave),
                                    str_from_c(made->state.wave)));
        if (made->state.phase == ROLLOUT_HALTED)
            CHECK(!is_beginning);
        if (cluster->is_paused)
            continue;
        counted[cluster->wave]++;
        if (cluster->is_unreachable)
            continue;
        begins[cluster->wave] += is_beginning && !joins;
        unfinished[cluster->wave] +=
            cluster->runs || cluster->runs_other ||
            (cluster->stage >= ROLLOUT_BEGUN && cluster->stage < ROLLOUT_DONE);
    }
    for (size_t i = 0; i < facts->policy->wave_count; i++)
        if (begins[i])
            CHECK(begins[i] + unfinished[i] <=
                  delivery_policy_at_most(facts->policy->waves[i].at_a_time, counted[i]));
    struct rollout_decision again = rollout_decide(&made->state, facts);
    CHECK(rollout_state_eq(&again.state, &made->state));
    CHECK_EQ(again.news_count, (size_t)0);
}

/* Clusters of one wave that count, those that are done or failed, those that hold it up. */
struct wave_tally {
    size_t clusters, finished, unfinished;
};

static struct wave_tally tally_wave(const struct rollout_facts *facts, size_t wave)
{
    struct wave_tally tally = {0};
    for (size_t i = 0; i < facts->count; i++) {
        const struct rollout_cluster *cluster = &facts->clusters[i];
        if (cluster->wave != wave || cluster->is_paused)
            continue;
        tally.clusters++;
        tally.finished += cluster->stage >= ROLLOUT_DONE;
        tally.unfinished += cluster->stage < ROLLOUT_DONE && !cluster->is_unreachable;
    }
    return tally;
}

static duration soak_of(const struct rollout_facts *facts, size_t wave)
{
    return wave < facts->policy->wave_count ? facts->policy->waves[wave].soak : 0;
}

static bool needs_token(const struct rollout_facts *facts, size_t wave)
{
    return wave < facts->policy->wave_count && facts->policy->waves[wave].approval &&
           !rollout_is_approved(facts->tokens, facts->revision,
                                rollout_wave_name(facts->policy, wave));
}

/* Failures that count in a phase: a cluster that is not ready any more is one while a wave soaks.
 */
static size_t count_failures(const struct rollout_facts *facts, enum rollout_phase phase,
                             size_t wave)
{
    const bool minds = phase == ROLLOUT_SOAKING || phase == ROLLOUT_HALTED;
    size_t count = 0;
    for (size_t i = 0; i < facts->count; i++) {
        const struct rollout_cluster *cluster = &facts->clusters[i];
        const bool relapsed = cluster->stage == ROLLOUT_RELAPSED && minds &&
                              cluster->wave <= wave && !cluster->is_unreachable;
        count += !cluster->is_paused && (cluster->stage == ROLLOUT_FAILED ||
                                         cluster->stage == ROLLOUT_OVERDUE || relapsed);
    }
    return count;
}

/* Whether a wave may be left behind: in the phase in which a look found it. */
static bool may_pass(const struct rollout_facts *facts, size_t wave, enum rollout_phase phase,
                     timestamp since)
{
    const struct wave_tally tally = tally_wave(facts, wave);
    if (!tally.clusters)
        return true;
    if (phase == ROLLOUT_SOAKING)
        return facts->now - since >= soak_of(facts, wave);
    return tally.finished && !tally.unfinished && !soak_of(facts, wave) &&
           (phase == ROLLOUT_ROLLING || !needs_token(facts, wave));
}

/* The column "when" of the table: a state that a look leaves holds what the table says of it. */
static void check_state(const struct rollout_facts *facts, const struct rollout_decision *made)
{
    const enum rollout_phase phase = made->state.phase;
    const size_t wave = rollout_wave_find(facts->policy, str_from_c(made->state.wave));
    const struct wave_tally tally = tally_wave(facts, wave);
    const size_t failures = count_failures(facts, phase, wave);
    if (phase == ROLLOUT_ROLLED_OUT || phase == ROLLOUT_NONE || !made->counts.clusters)
        return; /* without clusters that count nothing is decided */
    CHECK_EQ(failures > made->counts.tolerated, phase == ROLLOUT_HALTED);
    if (phase != ROLLOUT_HALTED)
        CHECK(tally.clusters > 0);
    if (phase == ROLLOUT_ROLLING)
        CHECK(tally.unfinished || !tally.finished);
    if (phase == ROLLOUT_SOAKING)
        CHECK(facts->now - made->state.since < soak_of(facts, wave));
    if (phase == ROLLOUT_WAITING_FOR_APPROVAL)
        CHECK(needs_token(facts, wave));
}

/* The column "next": from wave to wave, never back, and past no wave that is not over. */
static void check_step(const struct rollout_state *before, const struct rollout_facts *facts,
                       const struct rollout_decision *made)
{
    const size_t count = rollout_wave_count(facts->policy);
    const size_t from = rollout_wave_find(facts->policy, str_from_c(before->wave));
    const bool is_over = made->state.phase == ROLLOUT_ROLLED_OUT;
    const size_t to =
        is_over ? count : rollout_wave_find(facts->policy, str_from_c(made->state.wave));
    const bool goes_on =
        before->phase != ROLLOUT_NONE && str_eq(str_from_c(before->revision), facts->revision);
    const bool was_rolling = goes_on && from == to && before->phase == ROLLOUT_ROLLING;
    if (made->state.phase == ROLLOUT_ROLLING && made->counts.clusters && !was_rolling)
        CHECK(!needs_token(facts, to));
    if (!goes_on || from == count || made->state.phase == ROLLOUT_NONE)
        return;
    if (before->phase == ROLLOUT_ROLLED_OUT) {
        CHECK(is_over);
        return;
    }
    CHECK(to >= from);
    for (size_t wave = from; wave < to; wave++)
        CHECK(may_pass(facts, wave, wave == from ? before->phase : ROLLOUT_NONE, before->since));
}

/* Nobody begins whose wave has not begun, unless it joins. */
static void check_begins(const struct rollout_facts *facts, const struct rollout_decision *made)
{
    const enum rollout_phase phase = made->state.phase;
    const size_t now = rollout_wave_find(facts->policy, str_from_c(made->state.wave));
    for (size_t i = 0; i < facts->count; i++) {
        const struct rollout_cluster *cluster = &facts->clusters[i];
        const bool is_open =
            phase == ROLLOUT_ROLLED_OUT || cluster->wave < now ||
            (cluster->wave == now && (phase == ROLLOUT_ROLLING || phase == ROLLOUT_SOAKING));
        const bool joins =
            cluster->stage == ROLLOUT_ABSENT && (cluster->is_new || made->state.last[0]);
        const bool is_beginning = cluster->stage <= ROLLOUT_OTHER_BEGUN && !cluster->runs &&
                                  !cluster->runs_other && !cluster->hold;
        if (is_beginning)
            CHECK(is_open || joins);
    }
}

static void check_table(const struct rollout_state *before, const struct rollout_facts *facts,
                        const struct rollout_decision *made)
{
    check_state(facts, made);
    check_step(before, facts, made);
    check_begins(facts, made);
}

/* Every phase, with every combination of three clusters in three waves. */
TEST(every_small_rollout_keeps_its_limits)
{
    static const char *const kinds[] = {"a", "an", "o",  "p",  "b",  "s",  "r",  "d",
                                        "f", "v",  "o!", "p?", "ox", "bx", "dx", "oz"};
    static const char *const names[] = {"canary", "early", "(others)", "gone"};
    const size_t combinations = COUNT(kinds) * COUNT(kinds) * COUNT(kinds) * 2 * 2 * 3;
    for (enum rollout_phase phase = ROLLOUT_NONE; phase < ROLLOUT_PHASES; phase++)
        for (size_t name = 0; name < COUNT(names); name++)
            for (size_t i = 0; i < combinations; i++) {
                size_t rest = i;
                struct rollout_cluster clusters[CLUSTERS_MAX];
                char text[3 * 4 + 1] = "";
                size_t len = 0;
                struct rollout_state before = state_in(phase, names[name]);
                for (size_t j = 0; j < 3; j++, rest /= COUNT(kinds))
                    len += (size_t)snprintf(text + len, sizeof(text) - len, "0%s",
                                            kinds[rest % COUNT(kinds)]);
                CHECK_EQ(read_clusters(text, clusters), (size_t)3);
                clusters[0].wave = rest % 2;
                clusters[1].wave = rest / 2 % 2;
                clusters[2].wave = rest / 4 % 3;
                if (i % 2)
                    set_text(before.last, sizeof(before.last), OTHER);
                const struct rollout_facts facts = {
                    .policy = &policy,
                    .revision = STR(REVISION),
                    .now = NOW + (i % 3 ? HOUR : 0),
                    .clusters = clusters,
                    .count = 3,
                };
                const struct rollout_decision made = rollout_decide(&before, &facts);
                check_decision(&facts, &made);
                check_table(&before, &facts, &made);
            }
}

/* A made-up fleet: clusters begin when they may, and then anything happens to them. */
struct fleet {
    struct random *random;
    struct delivery_policy policy;
    struct delivery_policy_wave waves[4];
    struct rollout_cluster clusters[12];
    size_t count;
    timestamp now;
    struct rollout_state state;
    bool has_other;    /* the content is another one */
    bool is_approving; /* the user approves every wave */
};

static size_t draw(struct fleet *fleet, size_t below)
{
    return (size_t)random_below(fleet->random, below);
}

static void draw_fleet(struct fleet *fleet)
{
    static const struct str names[] = {STR_INIT("a"), STR_INIT("b"), STR_INIT("c"), STR_INIT("d")};
    fleet->policy = (struct delivery_policy){
        .waves = fleet->waves,
        .wave_count = 1 + draw(fleet, COUNT(fleet->waves)),
        .max_failures = {(int64_t)draw(fleet, 3), false},
    };
    if (draw(fleet, 2))
        fleet->policy.max_failures = (struct delivery_policy_share){(int64_t)draw(fleet, 40), true};
    for (size_t i = 0; i < fleet->policy.wave_count; i++)
        fleet->waves[i] = (struct delivery_policy_wave){
            .name = names[i],
            .at_a_time = {1 + (int64_t)draw(fleet, 100), true},
            .soak = draw(fleet, 2) ? (duration)draw(fleet, 100) * SECOND : 0,
            .approval = draw(fleet, 4) == 0,
        };
    fleet->count = 1 + draw(fleet, COUNT(fleet->clusters));
    for (size_t i = 0; i < fleet->count; i++)
        fleet->clusters[i] = (struct rollout_cluster){
            .wave = draw(fleet, fleet->policy.wave_count + 1),
            .stage = draw(fleet, 3) ? ROLLOUT_OTHER : ROLLOUT_ABSENT,
        };
    fleet->now = NOW;
    fleet->state = (struct rollout_state){.phase = ROLLOUT_NONE};
}

/* Something happens to one cluster; most of the time it is what should. */
static void disturb(struct fleet *fleet, struct rollout_cluster *cluster)
{
    static const enum rollout_stage next[] = {
        [ROLLOUT_ABSENT] = ROLLOUT_BEGUN,      [ROLLOUT_OTHER] = ROLLOUT_BEGUN,
        [ROLLOUT_OTHER_BEGUN] = ROLLOUT_BEGUN, [ROLLOUT_BEGUN] = ROLLOUT_SETTLING,
        [ROLLOUT_SETTLING] = ROLLOUT_DONE,     [ROLLOUT_RELAPSED] = ROLLOUT_DONE,
        [ROLLOUT_DONE] = ROLLOUT_DONE,         [ROLLOUT_FAILED] = ROLLOUT_SETTLING,
        [ROLLOUT_OVERDUE] = ROLLOUT_DONE,
    };
    const bool is_beginning = cluster->stage <= ROLLOUT_OTHER_BEGUN;
    const size_t what = draw(fleet, 40);
    if (what == 0)
        cluster->is_unreachable = !cluster->is_unreachable;
    else if (what == 1)
        cluster->is_paused = !cluster->is_paused;
    else if (what == 2 && cluster->stage == ROLLOUT_DONE)
        cluster->stage = ROLLOUT_RELAPSED;
    else if (what == 3 && cluster->stage >= ROLLOUT_BEGUN && cluster->stage < ROLLOUT_DONE)
        cluster->stage = cluster->stage == ROLLOUT_BEGUN ? ROLLOUT_FAILED : ROLLOUT_OVERDUE;
    else if (cluster->is_paused || cluster->is_unreachable || cluster->hold)
        return;
    else if (is_beginning || cluster->stage == ROLLOUT_BEGUN || cluster->stage == ROLLOUT_FAILED ||
             draw(fleet, 2))
        cluster->stage = next[cluster->stage];
}

static void mend(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        struct rollout_cluster *cluster = &fleet->clusters[i];
        cluster->is_unreachable = cluster->is_paused = false;
        if (cluster->stage >= ROLLOUT_BEGUN)
            cluster->stage = ROLLOUT_DONE;
    }
}

/* The user changes the content: no cluster has it yet, and those at work have to begin again. */
static void change_content(struct fleet *fleet)
{
    fleet->has_other = !fleet->has_other;
    for (size_t i = 0; i < fleet->count; i++) {
        struct rollout_cluster *cluster = &fleet->clusters[i];
        if (cluster->stage >= ROLLOUT_BEGUN)
            cluster->stage = cluster->stage == ROLLOUT_BEGUN || cluster->stage == ROLLOUT_SETTLING
                                 ? ROLLOUT_OTHER_BEGUN
                                 : ROLLOUT_OTHER;
    }
}

static void take_look(struct fleet *fleet)
{
    const struct rollout_facts facts = {
        .policy = &fleet->policy,
        .revision = fleet->has_other ? STR(OTHER) : STR(REVISION),
        .tokens = fleet->is_approving
                      ? STR(REVISION "/a," REVISION "/b," REVISION "/c," REVISION "/d," OTHER
                                     "/a," OTHER "/b," OTHER "/c," OTHER "/d")
                      : STR(""),
        .now = fleet->now,
        .clusters = fleet->clusters,
        .count = fleet->count,
    };
    const struct rollout_decision made = rollout_decide(&fleet->state, &facts);
    check_decision(&facts, &made);
    check_table(&fleet->state, &facts, &made);
    fleet->state = made.state;
}

TEST(random_rollouts_obey_the_table_and_arrive)
{
    struct random random;
    random_init(&random, 7);
    for (size_t run = 0; run < 2000; run++) {
        struct fleet fleet = {.random = &random};
        TEST_CASE("run %zu", run);
        draw_fleet(&fleet);
        for (size_t step = 0; step < 200; step++) {
            take_look(&fleet);
            disturb(&fleet, &fleet.clusters[draw(&fleet, fleet.count)]);
            if (draw(&fleet, 60) == 0)
                change_content(&fleet);
            fleet.is_approving = draw(&fleet, 4) == 0;
            fleet.now += (duration)draw(&fleet, 20) * SECOND;
        }
        fleet.is_approving = true;
        for (size_t step = 0; step < 100; step++) {
            mend(&fleet);
            take_look(&fleet);
            for (size_t i = 0; i < fleet.count; i++)
                if (!fleet.clusters[i].hold)
                    fleet.clusters[i].stage = ROLLOUT_DONE;
            fleet.now += 100 * SECOND;
        }
        CHECK_EQ(fleet.state.phase, ROLLOUT_ROLLED_OUT);
        for (size_t i = 0; i < fleet.count; i++)
            CHECK_EQ(fleet.clusters[i].stage, ROLLOUT_DONE);
    }
}
