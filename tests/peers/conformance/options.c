#include "peers/conformance/options.h"

#include <getopt.h>
#include <stdio.h>

const char options_help[] =
    "Replays recorded exchanges against an API server and compares the answers.\n"
    "\n"
    "Usage: conformance [OPTIONS]\n"
    "\n"
    "  --kubeconfig FILE        the server and its administrator; else $KUBECONFIG, ~/.kube/config\n"
    "  --server PROGRAM         start PROGRAM apiserver --in-memory for the replay, and end it\n"
    "  --file FILE              the recording\n"
    "  --group A,B              these groups alone\n"
    "  --id A,B                 report these alone; what precedes them in their groups is replayed\n"
    "  --without controllers    skip what needs garbage collection and namespace deletion\n"
    "  --with compaction        include what needs old history to vanish within two minutes;\n"
    "                           --server is told to forget it after 5 seconds\n"
    "  --expect FILE            known failures: an id a line, # begins a comment\n"
    "  --strict-managed-fields  compare managedFields everywhere\n"
    "  -v, --verbose            show requests and answers\n"
    "  -q, --quiet              show failures and sums alone\n"
    "  --list                   list the exchanges and stop\n"
    "\n"
    "Exit codes: 0 all as expected, 1 not so, 2 wrong usage, 3 could not do it.\n";

enum {
    OPTION_KUBECONFIG = 256,
    OPTION_SERVER,
    OPTION_FILE,
    OPTION_GROUP,
    OPTION_ID,
    OPTION_WITHOUT,
    OPTION_WITH,
    OPTION_EXPECT,
    OPTION_STRICT,
    OPTION_LIST,
};

static const struct option long_options[] = {
    {"kubeconfig",            required_argument, NULL, OPTION_KUBECONFIG},
    {"server",                required_argument, NULL, OPTION_SERVER    },
    {"file",                  required_argument, NULL, OPTION_FILE      },
    {"group",                 required_argument, NULL, OPTION_GROUP     },
    {"id",                    required_argument, NULL, OPTION_ID        },
    {"without",               required_argument, NULL, OPTION_WITHOUT   },
    {"with",                  required_argument, NULL, OPTION_WITH      },
    {"expect",                required_argument, NULL, OPTION_EXPECT    },
    {"strict-managed-fields", no_argument,       NULL, OPTION_STRICT    },
    {"list",                  no_argument,       NULL, OPTION_LIST      },
    {"verbose",               no_argument,       NULL, 'v'              },
    {"quiet",                 no_argument,       NULL, 'q'              },
    {"help",                  no_argument,       NULL, 'h'              },
    {NULL,                    0,                 NULL, 0                },
};

/* The one thing that may be asked for. */
static bool is_word(const char *given, const char *word)
{
    if (str_eq(str_from_c(given), str_from_c(word)))
        return true;
    fprintf(stderr, "conformance: '%s' is not '%s'\n", given, word);
    return false;
}

static bool take(struct options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_KUBECONFIG:
        options->kubeconfig = str_from_c(value);
        return true;
    case OPTION_SERVER:
        options->server = value;
        return true;
    case OPTION_FILE:
        options->file = value;
        return true;
    case OPTION_GROUP:
        options->choose.groups = str_from_c(value);
        return true;
    case OPTION_ID:
        options->choose.ids = str_from_c(value);
        return true;
    case OPTION_WITHOUT:
        options->choose.without_controllers = true;
        return is_word(value, "controllers");
    case OPTION_WITH:
        options->choose.with_compaction = true;
        return is_word(value, "compaction");
    case OPTION_EXPECT:
        options->expect = value;
        return true;
    case OPTION_STRICT:
        return options->compare.strict_managed_fields = true;
    case OPTION_LIST:
        return options->list = true;
    case 'v':
        return options->verbose = true;
    case 'q':
        return options->quiet = true;
    case 'h':
        return options->help = true;
    default:
        return false; /* getopt has said why */
    }
}

bool options_read(int argc, char **argv, struct options *ret_options)
{
    struct options options = {.file = CONFORMANCE_FILE};
    int option;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the only thread */
    while ((option = getopt_long(argc, argv, "vqh", long_options, NULL)) != -1)
        if (!take(&options, option, optarg))
            return false;
    if (optind < argc) {
        fprintf(stderr, "conformance: what is '%s'?\n", argv[optind]);
        return false;
    }
    if (options.server && options.kubeconfig.len) {
        fprintf(stderr, "conformance: --server makes its own kubeconfig\n");
        return false;
    }
    *ret_options = options;
    return true;
}
