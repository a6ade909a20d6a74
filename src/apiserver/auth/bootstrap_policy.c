/*
 * The roles and bindings of a new API, as kube-apiserver makes them.
 *
 * admin, edit and view take their rules from others. They are written here as aggregation would
 * write them, from the same texts; a test compares.
 */
#include "apiserver/auth/auth.h"

/* clang-format off */

#define META(name, labels) \
    "\"metadata\":{\"name\":\"" name "\"," \
    "\"labels\":{\"kubernetes.io/bootstrapping\":\"rbac-defaults\"" labels "}," \
    "\"annotations\":{\"rbac.authorization.kubernetes.io/autoupdate\":\"true\"}}"

#define ROLE(name, labels, rules, aggregation) \
    "{\"kind\":\"ClusterRole\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\"," \
    META(name, labels) ",\"rules\":[" rules "]" aggregation "}"

#define LABEL(to) ",\"rbac.authorization.k8s.io/aggregate-to-" to "\":\"true\""
#define COLLECT(to) \
    ",\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":" \
    "{\"rbac.authorization.k8s.io/aggregate-to-" to "\":\"true\"}}]}"

#define RULE(verbs, group, resources) \
    "{\"verbs\":[" verbs "],\"apiGroups\":[\"" group "\"],\"resources\":[" resources "]}"
#define URLS(verbs, urls) "{\"verbs\":[" verbs "],\"nonResourceURLs\":[" urls "]}"

#define BINDING(name, subjects) \
    "{\"kind\":\"ClusterRoleBinding\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\"," \
    META(name, "") ",\"subjects\":[" subjects "]," \
    "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\"," \
    "\"name\":\"" name "\"}}"
#define GROUP(name) \
    "{\"kind\":\"Group\",\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":\"" name "\"}"

#define READ   "\"get\",\"list\",\"watch\""
#define CHANGE "\"create\",\"delete\",\"deletecollection\",\"patch\",\"update\""
#define ALL \
    "\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\""

/* What the administrators of a namespace have beyond its editors. */
#define ADMIN_RULES \
    RULE("\"create\"", "authorization.k8s.io", "\"localsubjectaccessreviews\"") "," \
    RULE(ALL, "rbac.authorization.k8s.io", "\"rolebindings\",\"roles\"")

/* What editors have beyond viewers: secrets too, and the accounts that pods run as. */
#define EDIT_RULES \
    RULE(READ, "", "\"pods/attach\",\"pods/exec\",\"pods/portforward\",\"pods/proxy\"," \
                   "\"secrets\",\"services/proxy\"") "," \
    RULE("\"impersonate\"", "", "\"serviceaccounts\"") "," \
    RULE(CHANGE, "", "\"pods\",\"pods/attach\",\"pods/exec\",\"pods/portforward\"," \
                     "\"pods/proxy\"") "," \
    RULE("\"create\"", "", "\"pods/eviction\"") "," \
    RULE(CHANGE, "", "\"configmaps\",\"events\",\"persistentvolumeclaims\"," \
                     "\"replicationcontrollers\",\"replicationcontrollers/scale\"," \
                     "\"secrets\",\"serviceaccounts\",\"services\",\"services/proxy\"") "," \
    RULE("\"create\"", "", "\"serviceaccounts/token\"") "," \
    RULE(CHANGE, "apps", "\"daemonsets\",\"deployments\",\"deployments/rollback\"," \
                         "\"deployments/scale\",\"replicasets\",\"replicasets/scale\"," \
                         "\"statefulsets\",\"statefulsets/scale\"") "," \
    RULE(CHANGE, "autoscaling", "\"horizontalpodautoscalers\"") "," \
    RULE(CHANGE, "batch", "\"cronjobs\",\"jobs\"") "," \
    RULE(CHANGE, "policy", "\"poddisruptionbudgets\"") "," \
    RULE(CHANGE, "networking.k8s.io", "\"ingresses\",\"networkpolicies\"") "," \
    RULE(ALL, "coordination.k8s.io", "\"leases\"")

#define VIEW_RULES \
    RULE(READ, "", "\"configmaps\",\"endpoints\",\"persistentvolumeclaims\"," \
                   "\"persistentvolumeclaims/status\",\"pods\"," \
                   "\"replicationcontrollers\",\"replicationcontrollers/scale\"," \
                   "\"serviceaccounts\",\"services\",\"services/status\"") "," \
    RULE(READ, "", "\"bindings\",\"events\",\"limitranges\",\"namespaces/status\"," \
                   "\"pods/log\",\"pods/status\",\"replicationcontrollers/status\"," \
                   "\"resourcequotas\",\"resourcequotas/status\"") "," \
    RULE(READ, "", "\"namespaces\"") "," \
    RULE(READ, "discovery.k8s.io", "\"endpointslices\"") "," \
    RULE(READ, "apps", "\"controllerrevisions\",\"daemonsets\",\"daemonsets/status\"," \
                       "\"deployments\",\"deployments/scale\",\"deployments/status\"," \
                       "\"replicasets\",\"replicasets/scale\",\"replicasets/status\"," \
                       "\"statefulsets\",\"statefulsets/scale\",\"statefulsets/status\"") "," \
    RULE(READ, "autoscaling", "\"horizontalpodautoscalers\"," \
                              "\"horizontalpodautoscalers/status\"") "," \
    RULE(READ, "batch", "\"cronjobs\",\"cronjobs/status\",\"jobs\",\"jobs/status\"") "," \
    RULE(READ, "policy", "\"poddisruptionbudgets\",\"poddisruptionbudgets/status\"") "," \
    RULE(READ, "networking.k8s.io", "\"ingresses\",\"ingresses/status\"," \
                                    "\"networkpolicies\"")

static const char *const objects[] = {
    ROLE("cluster-admin", "", RULE("\"*\"", "*", "\"*\"") "," URLS("\"*\"", "\"*\""), ""),
    ROLE("system:discovery", "",
         URLS("\"get\"", "\"/api\",\"/api/*\",\"/apis\",\"/apis/*\",\"/healthz\",\"/livez\","
                         "\"/openapi\",\"/openapi/*\",\"/readyz\",\"/version\",\"/version/\""), ""),
    ROLE("system:public-info-viewer", "",
         URLS("\"get\"", "\"/healthz\",\"/livez\",\"/readyz\",\"/version\",\"/version/\""), ""),
    ROLE("system:basic-user", "",
         RULE("\"create\"", "authorization.k8s.io",
              "\"selfsubjectaccessreviews\",\"selfsubjectrulesreviews\"") ","
         RULE("\"create\"", "authentication.k8s.io", "\"selfsubjectreviews\""), ""),
    ROLE("system:aggregate-to-admin", LABEL("admin"), ADMIN_RULES, ""),
    ROLE("system:aggregate-to-edit", LABEL("edit"), EDIT_RULES, ""),
    ROLE("system:aggregate-to-view", LABEL("view"), VIEW_RULES, ""),
    ROLE("admin", "", EDIT_RULES "," VIEW_RULES "," ADMIN_RULES, COLLECT("admin")),
    ROLE("edit", LABEL("admin"), EDIT_RULES "," VIEW_RULES, COLLECT("edit")),
    ROLE("view", LABEL("edit"), VIEW_RULES, COLLECT("view")),
    BINDING("cluster-admin", GROUP("system:masters")),
    BINDING("system:discovery", GROUP("system:authenticated")),
    BINDING("system:basic-user", GROUP("system:authenticated")),
    BINDING("system:public-info-viewer",
            GROUP("system:authenticated") "," GROUP("system:unauthenticated")),
};

/* clang-format on */

size_t bootstrap_policy_count(void)
{
    return COUNT(objects);
}

const char *bootstrap_policy(size_t index)
{
    return objects[index];
}

/* The texts are constants, so reading them cannot fail. */
struct rbac *bootstrap_policy_rbac(void)
{
    struct rbac *rbac = rbac_new();
    for (size_t i = 0; i < COUNT(objects); i++) {
        OWNED(json_doc) doc = NULL;
        OWNED(error) err = json_read(str_from_c(objects[i]), &doc);
        const struct json_value *object = json_doc_root(doc);
        const bool is_role = str_eq(json_to_str(json_get(object, STR("kind"))), STR("ClusterRole"));
        rbac_put(rbac, is_role ? RBAC_CLUSTER_ROLE : RBAC_CLUSTER_ROLE_BINDING, object);
    }
    return rbac;
}
