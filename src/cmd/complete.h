/* Completion: which words may come next on a command line, by the tables of commands and flags. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Names that stand in no table. */
enum complete_kind {
    COMPLETE_CONTEXTS, /* of the kubeconfig */
    COMPLETE_NAMESPACES,
    COMPLETE_SETS,
    COMPLETE_CLUSTERS,
};

/* Where to look for them, by the flags on the command line. Empty texts mean the defaults. */
struct complete_place {
    struct str kubeconfig, context, namespace;
};

/* Appends one name per line; nothing if they cannot be found out. */
typedef void complete_names_fn(enum complete_kind kind, const struct complete_place *place,
                               struct buf *out);

/* Asks the kubeconfig and the management cluster, for a short time. Runs a loop of its own. */
complete_names_fn complete_names;

/*
 * argv holds the words after the program's name; the last one is being typed. Appends one
 * candidate per line, with a tab and a description where there is one. The last line is ":" and a
 * number that tells the shell what to add: 0 files, 4 nothing, 16 folders, as kubectl and other
 * programs that use cobra do. Pure but for names(), which is called when the word is such a name.
 */
void complete_words(int argc, char **argv, complete_names_fn *names, struct buf *out);
