/* The commands of the program: a table of struct command, one source per command. */
#pragma once

#include <stddef.h>

#include "async/loop.h"
#include "base/error.h"
#include "base/str.h"

/* Exit codes, the same for every command. */
enum command_exit {
    COMMAND_DONE = 0,
    COMMAND_NO = 1,     /* the answer is no: differences, not applied, not ready */
    COMMAND_USAGE = 2,  /* wrong usage */
    COMMAND_FAILED = 3, /* failure: connection, permission, I/O */
};

struct flag_group;

struct command {
    const char *name; /* "up", "cluster add" */
    const char *summary;
    const char *help;                /* the whole text of --help */
    const struct flag_group *groups; /* its flags, see cmd/flags.h */
    size_t group_count;
    const struct command *const *children; /* subcommands; run is NULL then */
    size_t child_count;
    int (*run)(int argc, char **argv); /* argv begins after the command's name */
};

/* All commands in the order in which help shows them; NULL past the end. */
const struct command *command_at(size_t index);

/* Finds a command by name, such as "up"; NULL if there is none. */
const struct command *command_find(const char *name);

extern const struct command command_apiserver;
extern const struct command command_approve;
extern const struct command command_backup;
extern const struct command command_bundle;
extern const struct command command_cluster;
extern const struct command command_cluster_add;
extern const struct command command_cluster_kubeconfig;
extern const struct command command_cluster_list;
extern const struct command command_cluster_remove;
extern const struct command command_completion;
extern const struct command command_controller;
extern const struct command command_credentials;
extern const struct command command_credentials_rotate;
extern const struct command command_demo;
extern const struct command command_get;
extern const struct command command_pause;
extern const struct command command_plan;
extern const struct command command_policy;
extern const struct command command_policy_check;
extern const struct command command_render;
extern const struct command command_restore;
extern const struct command command_resume;
extern const struct command command_status;
extern const struct command command_up;
extern const struct command command_version;
extern const struct command command_web;
extern const struct command command_why;

/* How this program was called: "corset", or "kubectl corset" as a plugin. A constant. */
const char *command_program(void);
void command_set_program(const char *name);

/*
 * Tells people something on standard error: "corset: ready on …". With --logging-format json it is
 * a line of the log, so that a program that reads the log finds nothing else there.
 */
void command_say(const char *format, ...) PRINTF_LIKE(1, 2);

/* Prints an error to standard error, as command_say() does, and returns COMMAND_FAILED. Takes the
 * error. */
int command_fail(struct error *err);

/*
 * Runs a function on a new event loop. Prints its error, if any, and returns COMMAND_FAILED then.
 */
MUST_USE int command_run(fiber_fn fn, void *data);

/* Writes a text to standard output and flushes it. ERROR_IO. */
MUST_USE struct error *command_write(struct str text);

/* The same for the end of a command: prints the error and returns COMMAND_FAILED. */
MUST_USE int command_print(struct str text);

/* Prints what is wrong with the arguments and where to read more. Returns COMMAND_USAGE. */
int command_misused(const struct command *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* The name that was most likely meant; NULL if none is similar. */
const char *command_guess(const char *typed, const char *const *names, size_t count);
