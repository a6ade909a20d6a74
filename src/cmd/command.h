/*
 * The commands of the program: a table, one file for each command.
 */
#pragma once

#include "base/error.h"

/* Exit codes, the same for every command. */
enum command_exit {
    COMMAND_DONE = 0,
    COMMAND_NO = 1,     /* the answer is no: differences, not applied, not ready */
    COMMAND_USAGE = 2,  /* wrong usage */
    COMMAND_FAILED = 3, /* could not do it: connection, permission, I/O */
};

struct command {
    const char *name;
    const char *summary;
    const char *help;                  /* the whole text of --help */
    int (*run)(int argc, char **argv); /* without the program's and the command's names */
};

extern const struct command command_apiserver;
extern const struct command command_controller;
extern const struct command command_demo;
extern const struct command command_render;
extern const struct command command_version;

/* Prints an error to standard error and gives COMMAND_FAILED. Takes the error. */
int command_fail(struct error *err);

/* Says what is wrong with the arguments, how to learn more, and gives COMMAND_USAGE. */
int command_misused(const struct command *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* The name that was most likely meant; NULL when none is close. */
const char *command_guess(const char *typed, const char *const *names, size_t count);
