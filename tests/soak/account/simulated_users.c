/* Simulated users: what they do to contents, sets, clusters and controllers. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "soak/account/account.h"

#define PAUSE_MAX    (1500 * MILLISECOND)
#define PAUSED       "cluster.x-k8s.io/paused"
#define LEASE_TARGET "/apis/coordination.k8s.io/v1/namespaces/default/leases/corset.corset.dev"

bool account_names(size_t set, size_t resource)
{
    return resource == set || resource == set + 1;
}

bool account_reconciles(size_t set)
{
    return set == 0;
}

static void make_set(struct account *account, size_t set)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
              "\"metadata\":{\"name\":\"s%zu\"},\"spec\":{\"strategy\":\"%s\",\"clusterSelector\":{"
              "\"matchLabels\":{\"cni\":\"yes\"}},\"resources\":[",
              set, account_reconciles(set) ? "Reconcile" : "ApplyOnce");
    for (size_t i = 0, count = 0; i < RESOURCES; i++)
        if (account_names(set, i))
            buf_print(&body, "%s{\"kind\":\"ConfigMap\",\"name\":\"r%zu\"}", count++ ? "," : "", i);
    buf_print(&body, "]}}");
    (void)front_call(&account->management, "POST", SETS_TARGET, buf_c(&body));
}

void simulated_users_begin(struct account *account)
{
    for (size_t i = 0; i < RESOURCES; i++)
        contents_write(account, i, FINE);
    for (size_t i = 0; i < account->clusters; i++)
        fleet_make(account, i);
    for (size_t i = 0; i < SETS; i++)
        make_set(account, i);
}

static void pause_set(struct account *account, size_t set, bool paused)
{
    char target[TEXT_MAX];
    snprintf(target, sizeof(target), SETS_TARGET "/s%zu", set);
    (void)front_call(&account->management, "PATCH", target,
                     paused ? "{\"metadata\":{\"annotations\":{\"" PAUSED "\":\"\"}}}"
                            : "{\"metadata\":{\"annotations\":{\"" PAUSED "\":null}}}");
}

static void edit_content(struct account *account, size_t resource)
{
    static const enum quality qualities[] = {FINE, FINE, FINE, FINE, FINE, PARTIAL, BROKEN};
    contents_write(account, resource, qualities[random_below(&account->dice, COUNT(qualities))]);
}

/* Whoever leads finds that it does not; some replica takes over when nothing renews the Lease. */
static void change_leader(struct account *account)
{
    if (account->replicas > 1)
        (void)front_call(&account->management, "PATCH", LEASE_TARGET,
                         "{\"spec\":{\"holderIdentity\":\"somebody else\"}}");
}

static void edit_cluster(struct account *account, size_t cluster)
{
    struct random *dice = &account->dice;
    switch (random_below(dice, 15)) {
    case 0:
    case 1:
        fleet_rebuild(account, cluster, false);
        break;
    case 2:
        fleet_rebuild(account, cluster, true);
        break;
    case 3:
    case 4:
        fleet_replace(account, cluster, false);
        break;
    case 5:
        fleet_replace(account, cluster, true);
        break;
    case 6:
    case 7:
        fleet_back_up(account, cluster);
        break;
    case 8:
    case 9:
        fleet_restore(account, cluster);
        break;
    case 10:
        fleet_kill(account, cluster);
        break;
    case 11:
        fleet_revive(account, cluster);
        break;
    case 12:
        fleet_pause(account, cluster, true);
        break;
    case 13:
        fleet_pause(account, cluster, false);
        break;
    default:
        fleet_remove_object(account, cluster, random_below(dice, PLACES));
        break;
    }
}

static void edit_something(struct account *account)
{
    struct random *dice = &account->dice;
    switch (random_below(dice, 10)) {
    case 0:
    case 1:
        edit_content(account, random_below(dice, RESOURCES));
        break;
    case 2:
        pause_set(account, random_below(dice, SETS), draw_chance(dice, 0.5));
        break;
    case 3:
        change_leader(account);
        break;
    default:
        edit_cluster(account, random_below(dice, account->clusters));
        break;
    }
}

struct error *simulated_users_edit(void *data)
{
    struct account *account = data;
    for (;;) {
        TRY(fiber_sleep(draw_span(&account->dice, PAUSE_MAX)));
        FIBER_SHIELD(FOREVER);
        edit_something(account);
    }
}
