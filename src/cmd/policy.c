/* corset policy: the parent of policy check. */
#include "cmd/command.h"

static const struct command *const children[] = {
    &command_policy_check,
};

const struct command command_policy = {
    .name = "policy",
    .summary = "check DeliveryPolicies before they are applied",
    .help = "Checks DeliveryPolicies, which say how ClusterResourceSets are delivered.\n\n"
            "Usage: corset policy COMMAND [ARGUMENTS]\n\n"
            "  check  say what is wrong with the policies in files\n\n"
            "See 'corset policy check --help'.\n\n"
            "Try it:\n"
            "  corset policy check -f policies/\n",
    .children = children,
    .child_count = COUNT(children),
};
