/*
 * Warnings about Nodes, and about deprecated labels of Nodes wherever Nodes are selected.
 *
 * Upstream: k8s.io/kubernetes/pkg/api/node.
 */
#include "apimachinery/validation.h"
#include "apiserver/registry/kind_warn_internal.h"

static const struct {
    const char *label, *text;
} node_labels[] = {
    {"beta.kubernetes.io/arch",                       "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os",                         "deprecated since v1.14; use \"kubernetes.io/os\" instead"  },
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"                                      },
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"                                        },
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"                                   },
    {"app.kubernetes.io/created-by",                  "deprecated since v1.9"                                     },
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"                                                 },
    {"node-role.kubernetes.io/master",                "use \"node-role.kubernetes.io/control-plane\" instead"     },
};

const char *warn_find_node_label(struct str label)
{
    for (size_t i = 0; i < COUNT(node_labels); i++)
        if (str_eq(label, str_from_c(node_labels[i].label)))
            return node_labels[i].text;
    return NULL;
}

static void warn_of_expression(struct kind_warner *w, struct str path,
                               const struct json_value *expression)
{
    const struct str label = json_path_str(expression, "key");
    const char *text = warn_find_node_label(label);
    if (text)
        json_warn(w->warnings, arena_print(w->arena, "%.*s.key: %.*s is %s", STR_ARG(path),
                                           STR_ARG(label), text));
}

static void warn_of_label_values(struct kind_warner *w, struct str path,
                                 const struct json_value *values)
{
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, values) {
        const struct str value = json_to_str(item);
        const struct validation found = validation_label_value(value);
        for (size_t i = 0; i < found.count; i++)
            json_warn(w->warnings, arena_print(w->arena, "%.*s.values[%zu]: %.*s is invalid, %.*s",
                                               STR_ARG(path), index, STR_ARG(value),
                                               STR_ARG(found.messages[i])));
        index++;
    }
}

void warn_of_node_expressions(struct kind_warner *w, struct str path,
                              const struct json_value *expressions)
{
    const struct json_value *expression;
    size_t index = 0;
    JSON_FOREACH (key, expression, expressions)
        warn_of_expression(w, warn_path(w, path, index++, ""), expression);
}

void warn_of_node_term(struct kind_warner *w, struct str path, const struct json_value *term,
                       bool is_preference)
{
    const struct str place = ARENA_JOIN(w->arena, path, STR(".matchExpressions"));
    const struct json_value *expression;
    size_t index = 0;
    JSON_FOREACH (key, expression, json_path(term, "matchExpressions")) {
        const struct str at = warn_path(w, place, index++, "");
        warn_of_expression(w, at, expression);
        if (is_preference)
            warn_of_label_values(w, at, json_path(expression, "values"));
    }
}

void warn_of_node_terms(struct kind_warner *w, struct str path, const struct json_value *terms)
{
    const struct json_value *term;
    size_t index = 0;
    JSON_FOREACH (key, term, terms)
        warn_of_node_term(w, warn_path(w, path, index++, ""), term, false);
}

void warn_of_node(struct kind_warner *w)
{
    if (json_path_str(w->object, "spec.externalID").len)
        warn_at(w, STR("spec.externalID"), "this field is deprecated, and is unused by Kubernetes");
    warn_of_blocks(w, STR("spec.podCIDRs"), json_path(w->object, "spec.podCIDRs"));
}

void warn_of_runtime_class(struct kind_warner *w)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(w->object, "scheduling.nodeSelector"))
        if (warn_find_node_label(key))
            warn_at(w, STR("scheduling.nodeSelector"), warn_find_node_label(key));
}
