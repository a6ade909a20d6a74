#include "apiserver/auth/auth_fixture_test.h"

/* ann may write roles and bindings and read pods; eve may escalate and bind too. */
static void put_all(struct auth_fixture *fixture)
{
#define BIND(user)                                                                                 \
    "{\"metadata\":{\"name\":\"" user "\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"" user \
    "\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"" user "\"}]}"
#define PODS    "{\"verbs\":[\"get\",\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}"
#define SECRETS "{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"secrets\"]}"
    auth_fixture_put(fixture, RBAC_CLUSTER_ROLE,
                     "{\"metadata\":{\"name\":\"ann\"},\"rules\":[" PODS "]}");
    auth_fixture_put(
        fixture, RBAC_CLUSTER_ROLE,
        "{\"metadata\":{\"name\":\"eve\"},\"rules\":[{\"verbs\":[\"escalate\"],\"apiGroups\":"
        "[\"rbac.authorization.k8s.io\"],\"resources\":[\"roles\",\"clusterroles\"]},"
        "{\"verbs\":[\"bind\"],\"apiGroups\":[\"rbac.authorization.k8s.io\"],\"resources\":"
        "[\"clusterroles\"],\"resourceNames\":[\"view\"]}]}");
    auth_fixture_put(fixture, RBAC_CLUSTER_ROLE_BINDING, BIND("ann"));
    auth_fixture_put(fixture, RBAC_CLUSTER_ROLE_BINDING, BIND("eve"));
    auth_fixture_put(fixture, RBAC_ROLE,
                     "{\"metadata\":{\"name\":\"pods\",\"namespace\":\"n\"},\"rules\":[" PODS "]}");
    auth_fixture_put(fixture, RBAC_ROLE,
                     "{\"metadata\":{\"name\":\"secrets\",\"namespace\":\"n\"},\"rules\":[" SECRETS
                     "]}");
}

#define ROLE(meta, rules) \
    "{\"metadata\":{\"name\":\"r\",\"namespace\":\"n\"" meta "},\"rules\":[" rules "]}"
#define CLUSTER_ROLE(rest) "{\"metadata\":{\"name\":\"r\"}," rest "}"
#define COLLECT            "\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":{\"a\":\"b\"}}]}"
#define BINDING(kind, role)                                                         \
    "{\"metadata\":{\"name\":\"b\",\"namespace\":\"n\"},\"roleRef\":{\"apiGroup\":" \
    "\"rbac.authorization.k8s.io\",\"kind\":\"" kind "\",\"name\":\"" role "\"}}"
#define CLUSTER_BINDING(role)                                   \
    "{\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"apiGroup\":" \
    "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"" role "\"}}"
#define NOT_HELD(user)                                                                       \
    " is forbidden: user \"" user "\" (groups=[\"system:authenticated\"]) is attempting to " \
    "grant RBAC permissions not currently held:\n"
#define SECRETS_TEXT "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}"

TEST(grant_is_checked)
{
    /* clang-format off */
    static const struct {
        const char *name, *user, *resource, *old, *object, *message;
    } cases[] = {
        {"a role with what is held", "ann", "roles", NULL, ROLE("", PODS), ""},
        {"a role with more", "ann", "roles", NULL, ROLE("", SECRETS),
         "roles.rbac.authorization.k8s.io \"r\"" NOT_HELD("ann") SECRETS_TEXT},
        {"a role with more, by one who may escalate", "eve", "roles", NULL, ROLE("", SECRETS), ""},
        {"a role becomes more", "ann", "roles", ROLE("", PODS), ROLE("", PODS "," SECRETS),
         "roles.rbac.authorization.k8s.io \"r\"" NOT_HELD("ann") SECRETS_TEXT},
        {"a role that is more loses its finalizer", "ann", "roles",
         ROLE(",\"finalizers\":[\"x\"],\"resourceVersion\":\"1\"", SECRETS),
         ROLE(",\"resourceVersion\":\"2\",\"ownerReferences\":[]", SECRETS), ""},
        {"a role that is more gets a label", "ann", "roles", ROLE("", SECRETS),
         ROLE(",\"labels\":{\"a\":\"b\"}", SECRETS),
         "roles.rbac.authorization.k8s.io \"r\"" NOT_HELD("ann") SECRETS_TEXT},
        {"a cluster role with what is held", "ann", "clusterroles", NULL,
         CLUSTER_ROLE("\"rules\":[" PODS "]"), ""},
        {"one that aggregates", "ann", "clusterroles", NULL, CLUSTER_ROLE(COLLECT),
         "clusterroles.rbac.authorization.k8s.io \"r\" is forbidden: must have cluster-admin privileges to use the aggregationRule"},
        {"one that does no longer", "ann", "clusterroles", CLUSTER_ROLE(COLLECT),
         CLUSTER_ROLE("\"rules\":[]"),
         "clusterroles.rbac.authorization.k8s.io \"r\" is forbidden: must have cluster-admin privileges to use the aggregationRule"},
        {"one that aggregates, by one who may escalate", "eve", "clusterroles", NULL,
         CLUSTER_ROLE(COLLECT), ""},
        {"a binding to what is held", "ann", "rolebindings", NULL, BINDING("Role", "pods"), ""},
        {"a binding to more", "ann", "rolebindings", NULL, BINDING("Role", "secrets"),
         "rolebindings.rbac.authorization.k8s.io \"b\"" NOT_HELD("ann") SECRETS_TEXT},
        {"a binding to nothing", "ann", "rolebindings", NULL, BINDING("Role", "none"),
         "roles.rbac.authorization.k8s.io \"none\" not found"},
        {"a binding to nothing for the cluster", "ann", "clusterrolebindings", NULL,
         CLUSTER_BINDING("none"), "clusterroles.rbac.authorization.k8s.io \"none\" not found"},
        {"a binding by one who may bind it", "eve", "rolebindings", NULL,
         BINDING("ClusterRole", "view"), ""},
        {"and for the cluster", "eve", "clusterrolebindings", NULL, CLUSTER_BINDING("view"), ""},
        {"to escalate is not to bind", "eve", "rolebindings", NULL, BINDING("Role", "pods"),
         "rolebindings.rbac.authorization.k8s.io \"b\"" NOT_HELD("eve") "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}"},
        {"a binding to all", "ann", "clusterrolebindings", NULL, CLUSTER_BINDING("cluster-admin"),
         "clusterrolebindings.rbac.authorization.k8s.io \"b\"" NOT_HELD("ann") "{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"},
        {"anything else", "ann", "others", NULL, ROLE("", SECRETS), ""},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    put_all(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gvr gvr = {STR("rbac.authorization.k8s.io"), STR("v1"),
                                str_from_c(cases[i].resource)};
        const struct rbac_user user = auth_fixture_user(&fixture, cases[i].user, "");
        const struct rbac_user admin = auth_fixture_user(&fixture, "admin", "system:masters");
        const struct json_value *old =
            cases[i].old ? auth_fixture_read(&fixture, cases[i].old) : NULL;
        const struct json_value *object = auth_fixture_read(&fixture, cases[i].object);
        TEST_CASE("%s", cases[i].name);
        OWNED(error)
        err = escalation_check(&fixture.auth, &fixture.arena, &user, gvr, old, object);
        CHECK_EQ(err ? err->message : "", cases[i].message);
        CHECK_OK(escalation_check(&fixture.auth, &fixture.arena, &admin, gvr, old, object));
    }
}
