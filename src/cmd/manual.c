/*
 * Translates help texts to roff. A help text has four parts: what the command does, a line "Usage:
 * ", the flags, and examples after "Try it:". split() finds them; indented lines keep their form,
 * other lines become running text.
 */
#include "cmd/manual.h"

#include <errno.h>
#include <stdio.h>

#include "cmd/command.h"

#define USAGE    STR("Usage: ")
#define EXAMPLES STR("Try it:")

/* roff interprets backslashes, hyphens, and dots and quotes at the beginning of a line. */
static void add_escaped(struct buf *out, struct str line)
{
    if (str_starts_with(line, STR(".")) || str_starts_with(line, STR("'")))
        buf_add(out, STR("\\&"));
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '\\')
            buf_add(out, STR("\\e"));
        else if (line.ptr[i] == '-')
            buf_add(out, STR("\\-"));
        else
            buf_add_char(out, line.ptr[i]);
    }
    buf_add_char(out, '\n');
}

/* Indented lines are set without filling (.nf), other lines as paragraphs. */
static void add_body(struct buf *out, struct str text)
{
    struct str line;
    bool is_block = false;
    while (text.len) {
        str_cut(&text, '\n', &line);
        const bool is_indented = str_starts_with(line, STR("  "));
        if (is_indented != is_block && line.len) {
            buf_add(out, is_indented ? STR(".PP\n.nf\n") : STR(".fi\n.PP\n"));
            is_block = is_indented;
        }
        if (!line.len)
            buf_add(out, is_block ? STR("\n") : STR(".PP\n"));
        else
            add_escaped(out, line);
    }
    if (is_block)
        buf_add(out, STR(".fi\n"));
}

/* The parts of a help text. */
struct parts {
    struct str about, usage, rest, examples;
};

/* A text without "Usage: " is all description. */
static struct parts split(struct str help)
{
    struct parts parts = {.about = help};
    const size_t usage = str_find(help, USAGE);
    const size_t examples = str_find(help, EXAMPLES);
    if (examples != STR_NONE) {
        parts.examples = str_trim(str_skip(help, examples + EXAMPLES.len));
        help = str_slice(help, 0, examples);
    }
    if (usage == STR_NONE)
        return parts;
    parts.about = str_trim(str_slice(help, 0, usage));
    parts.rest = str_skip(help, usage + USAGE.len);
    str_cut(&parts.rest, '\n', &parts.usage);
    return parts;
}

/* Empty sections are left out. */
static void add_section(struct buf *out, const char *title, struct str text)
{
    if (!str_trim(text).len)
        return;
    buf_print(out, ".SH %s\n", title);
    add_body(out, text);
}

/* The page of "cluster add" is corset-cluster-add(1). */
static void add_page_name(struct buf *out, const struct command *command)
{
    buf_add(out, STR("corset"));
    if (command)
        buf_add_char(out, '-');
    for (const char *c = command ? command->name : ""; *c; c++)
        buf_add_char(out, *c == ' ' ? '-' : *c);
}

/* Every page refers to corset(1) and to all commands. */
static void add_see_also(struct buf *out, const struct command *command)
{
    const struct command *each;
    buf_add(out, STR(".SH SEE ALSO\n"));
    if (command)
        buf_add(out, STR(".BR corset (1),\n"));
    for (size_t i = 0; (each = command_at(i)); i++) {
        buf_add(out, STR(".BR "));
        add_page_name(out, each);
        buf_print(out, " (1)%s\n", command_at(i + 1) ? "," : "");
    }
}

static void add_exit_codes(struct buf *out)
{
    buf_add(out, STR(".SH EXIT STATUS\n"
                     "0 success; 1 the answer is no; 2 wrong usage; 3 failure.\n"));
}

/* corset(1) has the overview as its text, and commands instead of options. */
void manual_write(const struct command *command, struct str overview, struct buf *out)
{
    SCOPED(buf) name = {.limit = 0};
    const struct parts parts = split(command ? str_from_c(command->help) : overview);
    add_page_name(&name, command);
    buf_print(out, ".TH %s 1 \"\" \"corset " CORSET_VERSION "\" \"corset\"\n", buf_c(&name));
    buf_print(out, ".SH NAME\n%s \\- %s\n", buf_c(&name),
              command ? command->summary : "bring manifests to every cluster of a fleet");
    add_section(out, "SYNOPSIS", parts.usage);
    add_section(out, "DESCRIPTION", parts.about);
    add_section(out, command ? "OPTIONS" : "COMMANDS", parts.rest);
    if (parts.examples.len) {
        buf_add(out, STR(".SH EXAMPLES\n.nf\n  "));
        add_escaped(out, parts.examples);
        buf_add(out, STR(".fi\n"));
    }
    add_exit_codes(out);
    add_see_also(out, command);
}

static struct error *write_page(const char *folder, const struct command *command,
                                struct str overview)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) path = {.limit = 0};
    manual_write(command, overview, &text);
    buf_print(&path, "%s/", folder);
    add_page_name(&path, command);
    buf_add(&path, STR(".1"));
    FILE *file = fopen(buf_c(&path), "we");
    if (!file)
        return error_from_errno(errno, "make %s", buf_c(&path));
    const bool is_written = fwrite(text.ptr, 1, text.len, file) == text.len;
    if (fclose(file) != 0 || !is_written)
        return error_new(ERROR_IO, "cannot write %s", buf_c(&path));
    return NULL;
}

struct error *manual_write_all(const char *folder, struct str overview)
{
    const struct command *each;
    TRY(write_page(folder, NULL, overview));
    for (size_t i = 0; (each = command_at(i)); i++) {
        TRY(write_page(folder, each, overview));
        for (size_t j = 0; j < each->child_count; j++)
            TRY(write_page(folder, each->children[j], overview));
    }
    return NULL;
}
