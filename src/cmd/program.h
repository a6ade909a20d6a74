/*
 * From a command line to a command: "corset [GLOBAL FLAGS] COMMAND [ARGUMENTS]".
 *
 * Called kubectl-corset it is a plugin of kubectl and says so where it speaks of itself.
 */
#pragma once

/* Returns the exit code. */
int program_run(int argc, char **argv);
