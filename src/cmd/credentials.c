/* corset credentials: the parent of credentials rotate. */
#include "cmd/command.h"

static const struct command *const children[] = {
    &command_credentials_rotate,
};

const struct command command_credentials = {
    .name = "credentials",
    .summary = "replace the credentials of the embedded API server",
    .help =
        "Replaces what 'corset up' and 'corset apiserver' have handed out: client certificates,\n"
        "kubeconfigs and tokens.\n\n"
        "Usage: corset credentials COMMAND [ARGUMENTS]\n\n"
        "  rotate  make new ones, and the old ones useless\n\n"
        "See 'corset credentials rotate --help'.\n\n"
        "Try it:\n"
        "  corset credentials rotate --data-dir ~/.local/share/corset\n",
    .children = children,
    .child_count = COUNT(children),
};
