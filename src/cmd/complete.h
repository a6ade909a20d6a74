/*
 * What may stand next on a command line, from the tables of commands and flags.
 */
#pragma once

#include "base/buf.h"

/*
 * Words behind the program's name, the last of which is being typed. Appends candidates, a line
 * each, with a tab and what it is about where that is known; then ":" and what a shell does beside
 * them, in the numbers that kubectl and many others use: 0 files, 4 nothing, 16 folders. Pure.
 */
void complete_words(int argc, char **argv, struct buf *out);
