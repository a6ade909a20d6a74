#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/command.h"
#include "cmd/complete.h"
#include "cmd/global_flags.h"
#include "cmd/manual.h"
#include "testing/test.h"

#define LINE_MAX_ 100

static void check_lines(const char *text)
{
    struct str rest = str_from_c(text), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        CHECK(line.len <= LINE_MAX_);
    }
}

/* Every flag of a command is explained, and there is something to try. */
static void check_help(const struct command *command)
{
    const struct str help = str_from_c(command->help);
    const struct flag *flag;
    TEST_CASE("%s", command->name);
    CHECK_CONTAINS(help, STR("Usage: corset "));
    CHECK_CONTAINS(help, str_from_c(command->name));
    CHECK_CONTAINS(help, STR("\nTry it:\n  "));
    CHECK_CONTAINS(help, STR("corset"));
    check_lines(command->help);
    for (size_t i = 0; (flag = flags_at(command, i)); i++) {
        SCOPED(buf) name = {.limit = 0};
        bool is_global = false;
        for (size_t j = 0; j < GLOBAL_FLAGS_COUNT; j++)
            is_global |= flag == &global_flags[j];
        buf_print(&name, "--%.*s", STR_ARG(flag_name(flag)));
        if (!is_global && flag_name(flag).len)
            CHECK_CONTAINS(help, buf_str(&name));
    }
}

TEST(every_command_explains_its_flags_and_has_an_example)
{
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)); i++) {
        check_help(command);
        CHECK_EQ(command_find(command->name), command);
        for (size_t j = 0; j < command->child_count; j++)
            check_help(command->children[j]);
    }
    CHECK(command_find("nothing") == NULL);
}

/* One name for each kind, made of where it would be looked for. */
static void fake_names(enum complete_kind kind, const struct complete_place *place, struct buf *out)
{
    static const char letters[] = "xnsc";
    buf_print(out, "%c-%.*s-%.*s-%.*s\n", letters[kind], STR_ARG(place->kubeconfig),
              STR_ARG(place->context), STR_ARG(place->namespace));
}

TEST(completion_knows_what_may_stand_next)
{
    static const struct {
        const char *words[5];
        const char *expected; /* without what the words are about */
    } cases[] = {
        {{"st"},                                                                      "status|:4|"                                        },
        {{"cluster", ""},                                                             "add|kubeconfig|list|remove|:4|"                    },
        {{"--kubeconfig", "f", "cluster", "r"},                                       "remove|:4|"                                        },
        {{"--kubeconfig", ""},                                                        ":0|"                                               },
        {{"status", "-o", ""},                                                        "table|wide|json|yaml|:4|"                          },
        {{"status", "--output=j"},                                                    "--output=json|:4|"                                 },
        {{"status", "--col"},                                                         "--color|:4|"                                       },
        {{"status", "--color", "a"},                                                  "auto|always|:4|"                                   },
        {{"up", "--data-dir", ""},                                                    ":16|"                                              },
        {{"up", "--virtual-clusters", ""},                                            ":4|"                                               },
        {{"up", "--write"},                                                           "--write-kubeconfig|--write-cluster-kubeconfigs|:4|"},
        {{"render", ""},                                                              ":0|"                                               },
        {{"completion", ""},                                                          "bash|zsh|fish|:4|"                                 },
        {{"help", "ver"},                                                             "version|:4|"                                       },
        {{"help", "cluster", "l"},                                                    "list|:4|"                                          },
        {{"cluster", "add", "x", "--kubeconfig"},                                     "--kubeconfig|:4|"                                  },
        {{"cluster", "add", "--kubeconfig", ""},                                      ":0|"                                               },
        {{"status", "-w", "--he"},                                                    "--help|:4|"                                        },
        {{"status", ""},                                                              "s---|cluster/c---|:4|"                             },
        {{"status", "cl"},                                                            "cluster/c---|:4|"                                  },
        {{"status", "-n", "a", "--context=b", "s"},                                   "s--b-a|:4|"                                        },
        {{"--kubeconfig", "f", "status", "--namespace", ""},                          "n-f--|:4|"                                         },
        {{"status", "--context=x"},                                                   "--context=x---|:4|"                                },
        {{"cluster", "remove", "a", ""},                                              "c---|:4|"                                          },
        {{"cluster", "add", "--kubeconfig=f", "--context", ""},                       "x-f--|:4|"                                         },
        {{"cluster", "add", "--kubeconfig=f", "-n", ""},                              "n---|:4|"                                          },
        {{"cluster", "add", "--management-kubeconfig=m", "--management-context", ""}, "x-m--|:4|"                                         },
        {{"pause", "s"},                                                              "set/s---|:4|"                                      },
        {{"resume", "set/a", ""},                                                     "set/s---|cluster/c---|:4|"                         },
        {{"nothing", "x"},                                                            ":4|"                                               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {.limit = 0};
        SCOPED(buf) seen = {.limit = 0};
        int argc = 0;
        while (argc < 5 && cases[i].words[argc])
            argc++;
        TEST_CASE("row %zu", i);
        complete_words(argc, (char **)cases[i].words, fake_names, &out);
        struct str rest = buf_str(&out), line, word;
        while (rest.len) {
            str_cut(&rest, '\n', &line);
            str_cut(&line, '\t', &word);
            buf_print(&seen, "%.*s|", STR_ARG(word));
        }
        CHECK_EQ(buf_str(&seen), str_from_c(cases[i].expected));
    }
}

TEST(completion_says_what_commands_are_about)
{
    SCOPED(buf) out = {.limit = 0};
    char word[] = "ren";
    complete_words(1, (char *[]){word}, fake_names, &out);
    CHECK_EQ(buf_str(&out),
             STR("render\tshow what would be applied from ConfigMaps and Secrets\n:4\n"));
}

TEST(manual_pages_are_what_help_says)
{
    static const struct command command = {
        .name = "do this",
        .summary = "does it",
        .help = "Does this\\that.\n\nUsage: corset do this [-x]\n\n  -x  .hidden\n'Quoted'.\n\n"
                "Try it:\n  corset do this -x\n  corset do this\n",
    };
    SCOPED(buf) out = {.limit = 0};
    manual_write(&command, STR(""), &out);
    CHECK(str_starts_with(buf_str(&out), STR(".TH corset-do-this 1 ")));
    CHECK_CONTAINS(buf_str(&out), STR(".SH NAME\ncorset-do-this \\- does it\n"
                                      ".SH SYNOPSIS\ncorset do this [\\-x]\n"
                                      ".SH DESCRIPTION\nDoes this\\ethat.\n"
                                      ".SH OPTIONS\n"));
    CHECK_CONTAINS(buf_str(&out), STR("  \\-x  .hidden\n.fi\n.PP\n\\&'Quoted'.\n"));
    CHECK_CONTAINS(buf_str(&out),
                   STR(".SH EXAMPLES\n.nf\n  corset do this \\-x\n  corset do this\n.fi\n"));
}
