/*
 * From a command line to a command: "corset [GLOBAL FLAGS] COMMAND [ARGUMENTS]".
 *
 * Under the name kubectl-corset the program is a plugin of kubectl, and its messages say "kubectl
 * corset".
 */
#pragma once

/* Returns the exit code. */
int program_run(int argc, char **argv);
