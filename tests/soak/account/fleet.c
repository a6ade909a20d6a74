/*
 * What becomes of clusters. A cluster that is rebuilt has another kube-system and nothing else; one
 * that is restored has what it had when the backup was made, kube-system included. Its server is
 * away meanwhile, so that no connection survives.
 */
#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "base/random.h"
#include "json/path.h"
#include "soak/account/account.h"

#define GAP_MAX  (500 * MILLISECOND)
#define AWAY_MAX (8 * SECOND)

struct json_doc *account_find(struct account *account, struct gvr gvr, char letter, size_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "%c%zu", letter, number);
    return front_find(&account->management, gvr, (struct key){STR("default"), str_from_c(name)});
}

static void put_kubeconfig(struct account *account, size_t cluster)
{
    char token[24];
    snprintf(token, sizeof(token), "%zu", account->workloads[cluster].tokens);
    front_put_kubeconfig(&account->management, cluster, account->fronts[cluster].options.host,
                         str_from_c(token));
}

static void put_cluster(struct account *account, size_t cluster)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"c%zu\",\"namespace\":\"default\",\"labels\":{\"cni\":\"yes\"}},"
              "\"spec\":{},\"status\":{\"initialization\":{\"infrastructureProvisioned\":true}}}",
              cluster);
    account->workloads[cluster].is_paused = false;
    trace_print(&account->trace, "world: Cluster c%zu is made", cluster);
    front_put(&account->management, &body);
}

void fleet_make(struct account *account, size_t cluster)
{
    put_kubeconfig(account, cluster);
    put_cluster(account, cluster);
}

static void copy_text(char out[static UID_MAX], const struct json_doc *doc, const char *path)
{
    const struct str text = doc ? json_path_str(json_doc_root(doc), path) : STR("");
    CHECK(text.len < UID_MAX);
    snprintf(out, UID_MAX, "%.*s", STR_ARG(text));
}

void fleet_uid(struct account *account, size_t cluster, char uid[static UID_MAX])
{
    OWNED(json_doc)
    doc = front_find(&account->fronts[cluster], GVR_NAMESPACES, KEY("", "kube-system"));
    copy_text(uid, doc, "metadata.uid");
}

void fleet_recorded_uid(struct account *account, size_t cluster, char uid[static UID_MAX])
{
    OWNED(json_doc) doc = account_find(account, GVR_CLUSTER_RESOURCE_SET_BINDINGS, 'c', cluster);
    const struct json_value *annotations =
        doc ? json_path(json_doc_root(doc), "metadata.annotations") : NULL;
    snprintf(uid, UID_MAX, "%.*s",
             STR_ARG(json_to_str(json_get(annotations, STR("corset.dev/cluster-uid")))));
}

static void set_uid(struct account *account, size_t cluster, const char *uid)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(
        &body,
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"kube-system\","
        "\"uid\":\"%s\"}}",
        uid);
    front_put(&account->fronts[cluster], &body);
}

static void lose(struct account *account, size_t cluster, size_t place)
{
    struct loss *loss = &account->workloads[cluster].losses[place];
    loss->lost = ++account->clock;
    loss->time = loop_wall(loop_current());
}

/*
 * The cluster has these objects from now on. Who knew it as the one it is now cannot know that it
 * lost something; neither can who knows it by what its binding says.
 */
static void become(struct account *account, size_t cluster, const struct backup *state)
{
    char before[UID_MAX], recorded[UID_MAX];
    struct workload *workload = &account->workloads[cluster];
    fleet_uid(account, cluster, before);
    fleet_recorded_uid(account, cluster, recorded);
    const bool is_same = !strcmp(before, state->uid);
    const bool is_hidden = is_same || !strcmp(recorded, state->uid);
    for (size_t i = 0; i < PLACES; i++) {
        const unsigned number = contents_look(account, cluster, i);
        if (number && number != state->numbers[i])
            contents_remove(account, cluster, i);
        if (state->numbers[i] && number != state->numbers[i])
            contents_put(account, cluster, i, state->numbers[i]);
        if (!is_hidden)
            workload->losses[i].lost = 0;
        else if (!is_same || number != state->numbers[i])
            lose(account, cluster, i);
    }
    set_uid(account, cluster, state->uid);
}

/* False while the server restarts by itself. One that is dead stays so. */
static bool begin_absence(struct account *account, size_t cluster)
{
    struct front *front = &account->fronts[cluster];
    const struct workload *workload = &account->workloads[cluster];
    if (!front->front)
        return workload->is_dead && !workload->is_silent;
    front_shut(front);
    return true;
}

/* Away for a while, often too short for a probe to notice. */
static void end_absence(struct account *account, size_t cluster, duration most)
{
    const struct workload *workload = &account->workloads[cluster];
    if (workload->is_dead && !workload->is_silent)
        return;
    if (most && draw_chance(&account->dice, 0.5))
        CHECK_OK(fiber_sleep(draw_span(&account->dice, most)));
    front_listen(&account->fronts[cluster]);
}

static void draw_new_state(struct account *account, struct backup *ret_state)
{
    *ret_state = (struct backup){.is_taken = true};
    snprintf(ret_state->uid, sizeof(ret_state->uid), "%016llx",
             (unsigned long long)random_u64(&account->dice));
}

static void fall_silent(struct account *account, size_t cluster)
{
    struct front *front = &account->fronts[cluster];
    front->is_silent = true;
    sim_network_set_faults(account->network, front->options.host,
                           &(struct sim_faults){.black_hole = true});
}

static void move(struct account *account, size_t cluster)
{
    struct workload *workload = &account->workloads[cluster];
    struct front *front = &account->fronts[cluster];
    sim_network_set_faults(account->network, front->options.host, &(struct sim_faults){0});
    workload->is_next_host = !workload->is_next_host;
    front->options.host = str_from_c(workload->hosts[workload->is_next_host]);
    if (workload->is_dead && workload->is_silent)
        fall_silent(account, cluster);
}

void fleet_rebuild(struct account *account, size_t cluster, bool moves)
{
    struct backup empty;
    if (!begin_absence(account, cluster))
        return;
    draw_new_state(account, &empty);
    trace_print(&account->trace, "world: c%zu is rebuilt%s as %s", cluster,
                moves ? " elsewhere" : "", empty.uid);
    become(account, cluster, &empty);
    if (moves)
        move(account, cluster);
    end_absence(account, cluster, AWAY_MAX);
    if (moves || draw_chance(&account->dice, 0.4)) {
        account->workloads[cluster].tokens++;
        put_kubeconfig(account, cluster);
    }
}

/* The Cluster goes, and another one comes by its name; often it is the same cluster behind it. */
void fleet_replace(struct account *account, size_t cluster, bool rebuilds)
{
    char target[TEXT_MAX];
    const bool keeps_secret = draw_chance(&account->dice, 0.5);
    snprintf(target, sizeof(target), CLUSTERS_TARGET "/c%zu", cluster);
    (void)front_call(&account->management, "DELETE", target, "");
    if (rebuilds && begin_absence(account, cluster)) {
        struct backup empty;
        draw_new_state(account, &empty);
        trace_print(&account->trace, "world: c%zu is rebuilt as %s", cluster, empty.uid);
        become(account, cluster, &empty);
        end_absence(account, cluster, 0);
    }
    if (!keeps_secret) {
        snprintf(target, sizeof(target), "/api/v1/namespaces/default/secrets/c%zu-kubeconfig",
                 cluster);
        (void)front_call(&account->management, "DELETE", target, "");
    }
    if (draw_chance(&account->dice, 0.7))
        CHECK_OK(fiber_sleep(draw_span(&account->dice, GAP_MAX)));
    fleet_make(account, cluster);
}

void fleet_back_up(struct account *account, size_t cluster)
{
    struct backup *backup = &account->workloads[cluster].backup;
    backup->is_taken = true;
    fleet_uid(account, cluster, backup->uid);
    for (size_t i = 0; i < PLACES; i++)
        backup->numbers[i] = contents_look(account, cluster, i);
    trace_print(&account->trace, "world: c%zu is backed up", cluster);
}

void fleet_restore(struct account *account, size_t cluster)
{
    const struct backup *backup = &account->workloads[cluster].backup;
    if (!backup->is_taken || !begin_absence(account, cluster))
        return;
    trace_print(&account->trace, "world: c%zu is restored as %s", cluster, backup->uid);
    become(account, cluster, backup);
    end_absence(account, cluster, AWAY_MAX);
}

void fleet_pause(struct account *account, size_t cluster, bool paused)
{
    char target[TEXT_MAX];
    snprintf(target, sizeof(target), CLUSTERS_TARGET "/c%zu", cluster);
    (void)front_call(&account->management, "PATCH", target,
                     paused ? "{\"spec\":{\"paused\":true}}" : "{\"spec\":{\"paused\":null}}");
    account->workloads[cluster].is_paused = paused;
}

void fleet_remove_object(struct account *account, size_t cluster, size_t place)
{
    if (!contents_look(account, cluster, place))
        return;
    contents_remove(account, cluster, place);
    lose(account, cluster, place);
}

void fleet_kill(struct account *account, size_t cluster)
{
    struct workload *workload = &account->workloads[cluster];
    struct front *front = &account->fronts[cluster];
    if (!front->front || workload->is_dead)
        return;
    workload->is_dead = true;
    workload->is_silent = draw_chance(&account->dice, 0.4);
    trace_print(&account->trace, "world: c%zu dies", cluster);
    if (workload->is_silent)
        fall_silent(account, cluster);
    else
        front_shut(front);
}

void fleet_revive(struct account *account, size_t cluster)
{
    struct workload *workload = &account->workloads[cluster];
    struct front *front = &account->fronts[cluster];
    if (!workload->is_dead)
        return;
    trace_print(&account->trace, "world: c%zu returns", cluster);
    workload->is_dead = false;
    if (!workload->is_silent) {
        front_listen(front);
        return;
    }
    front->is_silent = false;
    sim_network_set_faults(account->network, front->options.host, &(struct sim_faults){0});
}

void fleet_clear_sky(struct account *account, size_t cluster)
{
    front_clear_sky(&account->fronts[cluster]);
    if (account->workloads[cluster].is_dead && account->workloads[cluster].is_silent)
        fall_silent(account, cluster);
}
