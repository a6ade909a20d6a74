/* What all commands share: printing errors and results, and guessing what a mistyped word meant. */
#include "cmd/command.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "cmd/terminal.h"

/* Words that are more edits apart are no typing mistakes of each other. */
#define GUESS_DISTANCE 2

/* Paths are the longest part of what is said. */
#define SENTENCE_MAX 8192

static const char *program = "corset";

const char *command_program(void)
{
    return program;
}

void command_set_program(const char *name)
{
    program = name;
}

void command_say(const char *format, ...)
{
    char text[SENTENCE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (log_format() == LOG_JSON)
        log_info("Program", LOG_STR("says", str_from_c(text)));
    else
        fprintf(stderr, "corset: %s\n", text);
}

/* The message may quote a server, so control characters are escaped. */
int command_fail(struct error *err)
{
    SCOPED(buf) line = {.limit = 0};
    terminal_add_shown(&line, str_from_c(err->message)); /* it may quote others */
    if (log_format() == LOG_JSON)
        log_error("Program failed", LOG_ERROR(err));
    else
        fprintf(stderr, "corset: %s\n", buf_c(&line));
    error_free(err);
    return COMMAND_FAILED;
}

/* Every command that talks to a server runs on an event loop, which ends with the command. */
int command_run(fiber_fn fn, void *data)
{
    OWNED(loop) loop = loop_new();
    struct error *err = loop_run(loop, fn, data);
    return err ? command_fail(err) : COMMAND_DONE;
}

struct error *command_write(struct str text)
{
    if ((text.len && fwrite(text.ptr, 1, text.len, stdout) != text.len) || fflush(stdout) != 0)
        return error_new(ERROR_IO, "cannot write to standard output");
    return NULL;
}

int command_print(struct str text)
{
    struct error *err = command_write(text);
    return err ? command_fail(err) : COMMAND_DONE;
}

int command_misused(const struct command *command, const char *format, ...)
{
    fprintf(stderr, "corset: ");
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry '%s %s --help'.\n", program, command->name);
    return COMMAND_USAGE;
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* The Levenshtein distance of two words, with one row of the usual table. */
static size_t distance(struct str a, struct str b)
{
    OWNED_PTR size_t *row = mem_realloc_array(NULL, b.len + 1, sizeof(*row));
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a.ptr[i - 1] != b.ptr[j - 1]));
            diagonal = above;
        }
    }
    return row[b.len];
}

/* Fewer letters are the beginning of too many words. */
#define GUESS_BEGINNING 3

/* The first name that begins with what was typed; NULL if there is none. */
static const char *guess_beginning(struct str typed, const char *const *names, size_t count)
{
    for (size_t i = 0; typed.len >= GUESS_BEGINNING && i < count; i++)
        if (str_starts_with(str_from_c(names[i]), typed))
            return names[i];
    return NULL;
}

/* Of equally similar names the first one wins. */
const char *command_guess(const char *typed, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t nearest = GUESS_DISTANCE + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t apart = distance(str_from_c(typed), str_from_c(names[i]));
        if (apart < nearest) {
            nearest = apart;
            best = names[i];
        }
    }
    return best ? best : guess_beginning(str_from_c(typed), names, count);
}
