/*
 * corset_main(): reads the flags and runs the manager; and the log of authors.
 *
 * The flags are rows of a table: name, type, and the member of the options that the value goes to.
 * The names are those of Kubernetes components. "--name value", "--name=value", "-name" and, for
 * booleans, "--name" alone are accepted.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/log.h"
#include "libcorset/library_internal.h"

#define EXIT_USAGE     2
#define EXIT_FAILED    3
#define LOG_FIELDS_MAX 16

enum flag_type {
    FLAG_TEXT,     /* const char * */
    FLAG_BOOL,     /* bool */
    FLAG_NUMBER,   /* double */
    FLAG_LEVEL,    /* int */
    FLAG_DURATION, /* int64_t, milliseconds */
    FLAG_FORMAT,   /* bool: json */
};

struct flag {
    const char *name;
    enum flag_type type;
    size_t offset;
    const char *help;
};

#define AT(member) offsetof(struct corset_manager_options, member)

/* Name, type, member of corset_manager_options, help. */
static const struct flag flags[] = {
    {"kubeconfig",                      FLAG_TEXT,     AT(kubeconfig),           "FILE, the kubeconfig to use"        },
    {"context",                         FLAG_TEXT,     AT(context),              "NAME of a context in the kubeconfig"},
    {"kube-api-qps",                    FLAG_NUMBER,   AT(qps),                  "N requests per second (20)"         },
    {"kube-api-burst",                  FLAG_NUMBER,   AT(burst),                "N requests at once (30)"            },
    {"leader-elect",                    FLAG_BOOL,     AT(leader_elect),         "work only while holding the Lease"  },
    {"leader-elect-lease-duration",     FLAG_DURATION, AT(lease_duration_ms),
     "DURATION of the Lease (15s)"                                                                                    },
    {"leader-elect-renew-deadline",     FLAG_DURATION, AT(renew_deadline_ms),
     "DURATION to renew the Lease in (10s)"                                                                           },
    {"leader-elect-retry-period",       FLAG_DURATION, AT(retry_period_ms),
     "DURATION between attempts (2s)"                                                                                 },
    {"leader-elect-resource-name",      FLAG_TEXT,     AT(lease_name),           "NAME of the Lease"                  },
    {"leader-elect-resource-namespace", FLAG_TEXT,     AT(lease_namespace),      "NAMESPACE of the Lease"             },
    {"health-addr",                     FLAG_TEXT,     AT(health_address),       "HOST:PORT for /healthz and /readyz" },
    {"diagnostics-address",             FLAG_TEXT,     AT(diagnostics_address),  "HOST:PORT for /metrics"             },
    {"insecure-diagnostics",            FLAG_BOOL,     AT(insecure_diagnostics),
     "/metrics over plain HTTP, without authorization"                                                                },
    {"v",                               FLAG_LEVEL,    AT(verbosity),            "N, verbosity of the log (0)"        },
    {"logging-format",                  FLAG_FORMAT,   AT(log_json),             "FORMAT, text or json"               },
};

static const struct flag *find_flag(struct str name)
{
    for (size_t i = 0; i < COUNT(flags); i++)
        if (str_eq(name, str_from_c(flags[i].name)))
            return &flags[i];
    return NULL;
}

static bool read_number(const char *text, double *ret_number)
{
    char *end;
    *ret_number = strtod(text, &end);
    return end != text && *end == '\0' && *ret_number >= 0;
}

/*
 * Stores a value. value is NULL only for a boolean flag without one. False if the value is wrong.
 */
static bool set_flag(const struct flag *flag, const char *value,
                     struct corset_manager_options *options)
{
    const struct str text = str_from_c(value);
    void *place = (char *)options + flag->offset;
    int64_t number;
    duration span;
    switch (flag->type) {
    case FLAG_TEXT:
        *(const char **)place = value;
        return true;
    case FLAG_BOOL:
        *(bool *)place = !value || str_eq(text, STR("true"));
        return !value || str_eq(text, STR("true")) || str_eq(text, STR("false"));
    case FLAG_NUMBER:
        return read_number(value, place);
    case FLAG_LEVEL:
        if (!str_to_int64(text, &number) || number < 0 || number > 100)
            return false;
        *(int *)place = (int)number;
        return true;
    case FLAG_DURATION:
        if (!duration_read(text, &span) || span <= 0)
            return false;
        *(int64_t *)place = span / MILLISECOND;
        return true;
    case FLAG_FORMAT:
        *(bool *)place = str_eq(text, STR("json"));
        return *(bool *)place || str_eq(text, STR("text"));
    }
    return false;
}

/* Reads all arguments; says what is wrong with the first bad one and returns false. */
static bool read_flags(int argc, char **argv, struct corset_manager_options *options)
{
    for (int i = 1; i < argc; i++) {
        struct str rest = str_from_c(argv[i]), name;
        const size_t dashes = str_starts_with(rest, STR("--")) ? 2 : 1;
        if (!str_starts_with(rest, STR("-"))) {
            fprintf(stderr, "%s: unexpected argument '%s'; try --help\n", argv[0], argv[i]);
            return false;
        }
        rest = str_skip(rest, dashes);
        const bool has_value = str_cut(&rest, '=', &name);
        const struct flag *flag = find_flag(name);
        const char *value = has_value ? rest.ptr : NULL;
        if (flag && !has_value && flag->type != FLAG_BOOL && i + 1 < argc)
            value = argv[++i];
        if (!flag || (!value && flag->type != FLAG_BOOL) || !set_flag(flag, value, options)) {
            fprintf(stderr, "%s: %s '%s'; try --help\n", argv[0],
                    flag ? "wrong or missing value of" : "unknown flag", argv[i]);
            return false;
        }
    }
    return true;
}

static void print_help(const char *program)
{
    printf("Usage: %s [FLAGS]\n\n", program);
    for (size_t i = 0; i < COUNT(flags); i++)
        printf("  --%-32s %s\n", flags[i].name, flags[i].help);
}

/* --help works before any other flag is checked. */
int corset_main(int argc, char **argv, const struct corset_manager_options *options)
{
    struct corset_manager_options given = *options;
    for (int i = 1; i < argc; i++)
        if (str_eq(str_from_c(argv[i]), STR("--help")) || str_eq(str_from_c(argv[i]), STR("-h"))) {
            print_help(argv[0]);
            return EXIT_SUCCESS;
        }
    if (!read_flags(argc, argv, &given))
        return EXIT_USAGE;
    struct corset_error *err = corset_manager_run(&given);
    if (!err)
        return EXIT_SUCCESS;
    fprintf(stderr, "%s: %s\n", argv[0], corset_error_message(err));
    corset_error_free(err);
    return EXIT_FAILED;
}

/* Names and values above LOG_FIELDS_MAX are dropped. A NULL value is logged as an empty text. */
void corset_log(const char *message, ...)
{
    struct log_field fields[LOG_FIELDS_MAX];
    size_t count = 0;
    va_list args;
    if (!log_is_on(0))
        return;
    va_start(args, message);
    for (const char *name; count < LOG_FIELDS_MAX && (name = va_arg(args, const char *));) {
        const char *value = va_arg(args, const char *);
        fields[count++] = (struct log_field){
            .name = name, .kind = LOG_KIND_STR, .text = str_from_c(value ? value : "")};
    }
    va_end(args);
    log_write(0, message, fields, count);
}

const char *corset_version(void)
{
    return LIBRARY_VERSION;
}
