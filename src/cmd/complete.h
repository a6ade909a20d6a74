/* Completion: which words may come next on a command line, by the tables of commands and flags. */
#pragma once

#include "base/buf.h"

/*
 * argv holds the words after the program's name; the last one is being typed. Appends one
 * candidate per line, with a tab and a description where there is one. The last line is ":" and a
 * number that tells the shell what to add: 0 files, 4 nothing, 16 folders, as kubectl and other
 * programs that use cobra do. Pure.
 */
void complete_words(int argc, char **argv, struct buf *out);
