#include "cmd/flags.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/str.h"
#include "testing/test.h"

struct values {
    const char *text;
    bool truth;
    size_t count;
};

static const struct flag flags[] = {
    {"listen",    FLAG_TEXT, offsetof(struct values, text),  FLAG_ANY},
    {"in-memory", FLAG_BOOL, offsetof(struct values, truth), FLAG_ANY},
};

static const struct flag more_flags[] = {
    {"clusters", FLAG_COUNT, 0, FLAG_ANY},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    FLAGS_GROUP(more_flags, offsetof(struct values, count)),
};

static const struct command command = {
    .name = "try", .groups = groups, .group_count = COUNT(groups)};

/* What is said on standard error goes into said. */
static bool read_flags(struct values *values, char said[256], int argc, char **argv)
{
    FILE *file = tmpfile();
    CHECK(file != NULL);
    const int kept = dup(STDERR_FILENO);
    fflush(stderr);
    CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
    const bool fine = flags_read(&command, argc, argv, values);
    fflush(stderr);
    CHECK(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    said[fread(said, 1, 255, file)] = '\0';
    fclose(file);
    return fine;
}

#define ARGUMENTS_MAX 4

static int count_of(const char *const *arguments)
{
    int count = 0;
    while (count < ARGUMENTS_MAX && arguments[count])
        count++;
    return count;
}

TEST(flags_are_read_in_all_their_forms)
{
    static const struct {
        const char *arguments[ARGUMENTS_MAX];
        struct values values;
    } cases[] = {
        {{NULL},                               {NULL, false, 0}         },
        {{"--listen", "a:1"},                  {"a:1", false, 0}        },
        {{"--listen=a:1"},                     {"a:1", false, 0}        },
        {{"--listen=a=b"},                     {"a=b", false, 0}        },
        {{"--listen="},                        {"", false, 0}           },
        {{"--listen", "--in-memory"},          {"--in-memory", false, 0}},
        {{"--in-memory"},                      {NULL, true, 0}          },
        {{"--in-memory=true"},                 {NULL, true, 0}          },
        {{"--in-memory", "--in-memory=false"}, {NULL, false, 0}         },
        {{"--clusters", "12", "--in-memory"},  {NULL, true, 12}         },
        {{"--clusters=1", "--clusters=2"},     {NULL, false, 2}         },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct values values = {0};
        char said[256];
        TEST_CASE("row %zu", i);
        CHECK(read_flags(&values, said, count_of(cases[i].arguments), (char **)cases[i].arguments));
        CHECK_EQ(str_from_c(values.text ? values.text : "none"),
                 str_from_c(cases[i].values.text ? cases[i].values.text : "none"));
        CHECK_EQ(values.truth, cases[i].values.truth);
        CHECK_EQ(values.count, cases[i].values.count);
        CHECK_EQ(str_from_c(said), STR(""));
    }
}

TEST(flags_that_are_wrong_are_explained)
{
    static const struct {
        const char *arguments[ARGUMENTS_MAX];
        const char *said;
    } cases[] = {
        {{"listen"},                "unexpected argument 'listen'"                    },
        {{"-listen"},               "unexpected argument '-listen'"                   },
        {{"--lisen", "a"},          "unknown flag '--lisen'; did you mean '--listen'?"},
        {{"--nothing-like-it"},     "unknown flag '--nothing-like-it'\n"              },
        {{"--"},                    "unknown flag '--'"                               },
        {{"--listen"},              "--listen needs a value"                          },
        {{"--clusters", "many"},    "--clusters wants a number, not 'many'"           },
        {{"--clusters=-1"},         "--clusters wants a number, not '-1'"             },
        {{"--clusters="},           "--clusters wants a number, not ''"               },
        {{"--clusters=4294967296"}, "--clusters wants a number, not '4294967296'"     },
        {{"--in-memory=maybe"},     "--in-memory is true or false, not 'maybe'"       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct values values = {0};
        char said[256];
        TEST_CASE("%s", cases[i].arguments[0]);
        CHECK(
            !read_flags(&values, said, count_of(cases[i].arguments), (char **)cases[i].arguments));
        CHECK_CONTAINS(str_from_c(said), str_from_c(cases[i].said));
        CHECK_CONTAINS(str_from_c(said), STR("Try 'corset try --help'."));
    }
}

TEST(flags_with_very_long_names_are_refused_too)
{
    struct values values = {0};
    char said[256], name[200] = "--";
    memset(name + 2, 'x', sizeof(name) - 3);
    name[sizeof(name) - 1] = '\0';
    CHECK(!read_flags(&values, said, 1, (char *[]){name}));
}

TEST(command_guesses_what_was_meant)
{
    static const char *const names[] = {"apiserver", "demo", "version", "help"};
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"apiserve",   "apiserver"},
        {"apisevrer",  "apiserver"},
        {"dmeo",       "demo"     },
        {"versoin",    "version"  },
        {"helm",       "help"     },
        {"controller", NULL       },
        {"",           NULL       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *meant = command_guess(cases[i].typed, names, COUNT(names));
        TEST_CASE("%s", cases[i].typed);
        CHECK_EQ(str_from_c(meant ? meant : "nothing"),
                 str_from_c(cases[i].meant ? cases[i].meant : "nothing"));
    }
}

struct listed {
    struct flag_list files;
    const char *output;
    bool all;
};

static const struct flag listed_flags[] = {
    {"filename|f", FLAG_LIST, offsetof(struct listed, files),  FLAG_FILE},
    {"output|o",   FLAG_TEXT, offsetof(struct listed, output), FLAG_ANY },
    {"all|A",      FLAG_BOOL, offsetof(struct listed, all),    FLAG_ANY },
    {"",           FLAG_LIST, offsetof(struct listed, files),  FLAG_FILE},
};

static const struct flag_group listed_groups[] = {
    FLAGS_GROUP(listed_flags, 0),
};

static const struct command listed_command = {
    .name = "try", .groups = listed_groups, .group_count = COUNT(listed_groups)};

static bool read_listed(struct listed *listed, int argc, char **argv)
{
    return flags_read(&listed_command, argc, argv, listed);
}

TEST(flags_with_letters_lists_and_arguments)
{
    static const struct {
        const char *arguments[ARGUMENTS_MAX];
        const char *files, *output;
        bool all;
    } cases[] = {
        {{"-f", "a", "-f", "b"},          "a b ",      "none", false},
        {{"-fa", "--filename=b", "c"},    "a b c ",    "none", false},
        {{"-f=a", "-o=json", "-A"},       "a ",        "json", true },
        {{"-ojson", "-", "x", "-A=true"}, "- x ",      "json", true },
        {{"-f", "-", "--output", "yaml"}, "- ",        "yaml", false},
        {{"-o", "", "--", "-f"},          "-f ",       "",     false},
        {{"--", "--", "--all"},           "-- --all ", "none", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct listed listed = {.output = "none"};
        char files[64] = "";
        TEST_CASE("row %zu", i);
        CHECK(read_listed(&listed, count_of(cases[i].arguments), (char **)cases[i].arguments));
        for (size_t j = 0; j < listed.files.count; j++) {
            const size_t len = strlen(files);
            snprintf(files + len, sizeof(files) - len, "%s ", listed.files.items[j]);
        }
        CHECK_EQ(str_from_c(files), str_from_c(cases[i].files));
        CHECK_EQ(str_from_c(listed.output), str_from_c(cases[i].output));
        CHECK_EQ(listed.all, cases[i].all);
        flag_list_done(&listed.files);
    }
    static const char *const wrong[] = {"-x", "-o", "--filenam=x"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct listed listed = {0};
        TEST_CASE("%s", wrong[i]);
        CHECK(!read_listed(&listed, 1, (char **)&wrong[i]));
    }
}

struct measured {
    duration span;
    double level;
};

static const struct flag measured_flags[] = {
    {"span",  FLAG_SPAN,  offsetof(struct measured, span),  FLAG_ANY},
    {"level", FLAG_LEVEL, offsetof(struct measured, level), FLAG_ANY},
};

static bool read_measured(struct measured *measured, const char *argument)
{
    static const struct flag_group measured_groups[] = {FLAGS_GROUP(measured_flags, 0)};
    static const struct command measuring = {
        .name = "try", .groups = measured_groups, .group_count = COUNT(measured_groups)};
    return flags_read(&measuring, 1, (char **)&argument, measured);
}

TEST(flags_with_durations_and_limits)
{
    static const struct {
        const char *argument;
        bool fine;
        struct measured measured;
    } cases[] = {
        {"--span=10s",      true,  {10 * SECOND, 0}      },
        {"--span=1m30s",    true,  {90 * SECOND, 0}      },
        {"--span=1.5h",     true,  {90 * MINUTE, 0}      },
        {"--span=500ms",    true,  {500 * MILLISECOND, 0}},
        {"--span=0",        true,  {0, 0}                },
        {"--span=0s",       true,  {0, 0}                },
        {"--span=",         false, {0, 0}                },
        {"--span=10",       false, {0, 0}                },
        {"--span=ten",      false, {0, 0}                },
        {"--span=10s ",     false, {0, 0}                },
        {"--span=-1s",      false, {0, 0}                },
        {"--span=1e9h",     false, {0, 0}                },
        {"--span=9999999h", false, {0, 0}                },
        {"--level=20",      true,  {0, 20}               },
        {"--level=0.5",     true,  {0, 0.5}              },
        {"--level=-1",      true,  {0, -1}               },
        {"--level=1e3",     true,  {0, 1000}             },
        {"--level=",        false, {0, 0}                },
        {"--level=x",       false, {0, 0}                },
        {"--level=1x",      false, {0, 0}                },
        {"--level= 1",      false, {0, 0}                },
        {"--level=nan",     false, {0, 0}                },
        {"--level=inf",     false, {0, 0}                },
        {"--level=1e999",   false, {0, 0}                },
        {"--level",         false, {0, 0}                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct measured measured = {0};
        TEST_CASE("%s", cases[i].argument);
        CHECK_EQ(read_measured(&measured, cases[i].argument), cases[i].fine);
        if (!cases[i].fine)
            continue;
        CHECK_EQ(measured.span, cases[i].measured.span);
        CHECK_EQ(measured.level, cases[i].measured.level);
    }
}
