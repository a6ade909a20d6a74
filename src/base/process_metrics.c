#include "base/process_metrics.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/metrics.h"

enum { CPU, OPEN_FDS, MAX_FDS, RESIDENT, VIRTUAL, START_TIME };

static const struct metrics_family families[] = {
    [CPU] = METRICS_COUNTER("process_cpu_seconds_total",
                            "Total user and system CPU time spent in seconds."),
    [OPEN_FDS] = METRICS_GAUGE("process_open_fds", "Number of open file descriptors."),
    [MAX_FDS] = METRICS_GAUGE("process_max_fds", "Maximum number of open file descriptors."),
    [RESIDENT] = METRICS_GAUGE("process_resident_memory_bytes", "Resident memory size in bytes."),
    [VIRTUAL] = METRICS_GAUGE("process_virtual_memory_bytes", "Virtual memory size in bytes."),
    [START_TIME] = METRICS_GAUGE("process_start_time_seconds",
                                 "Start time of the process since unix epoch in seconds."),
};

/* Reads a small file of /proc whole. Returns an empty text if that fails. */
static struct str read_proc(const char *path, char *space, size_t capacity)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return STR("");
    const size_t len = fread(space, 1, capacity, file);
    fclose(file);
    return (struct str){space, len};
}

/* The field of this number, from 1, of words that blanks separate; -1 if there is none. */
static int64_t read_word(struct str text, size_t number)
{
    struct str word = {0};
    int64_t value;
    for (size_t i = 0; i < number; i++)
        str_cut(&text, ' ', &word);
    return str_to_int64(str_trim(word), &value) ? value : -1;
}

/* A field of /proc/self/stat. The second one, the name, may hold blanks and parentheses. */
static int64_t read_stat(size_t number)
{
    char space[1024];
    const struct str text = read_proc("/proc/self/stat", space, sizeof(space));
    size_t end = text.len;
    while (end > 0 && text.ptr[end - 1] != ')')
        end--;
    return end && end < text.len ? read_word(str_skip(text, end + 1), number - 2) : -1;
}

static double value_or_nan(int64_t value, double unit)
{
    return value < 0 ? (double)NAN : (double)value * unit;
}

static double read_cpu(void *data)
{
    (void)data;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return (double)NAN;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Without the descriptor of the folder itself, and its two entries for folders. */
static double read_open_fds(void *data)
{
    (void)data;
    DIR *folder = opendir("/proc/self/fd");
    double count = -3;
    if (!folder)
        return (double)NAN;
    /* cppcheck-suppress readdirCalled */
    while (readdir(folder)) /* NOLINT(concurrency-mt-unsafe): a stream of this call alone */
        count++;
    closedir(folder);
    return count;
}

static double read_max_fds(void *data)
{
    (void)data;
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (double)limit.rlim_cur : (double)NAN;
}

static double read_resident(void *data)
{
    (void)data;
    return value_or_nan(read_stat(24), (double)sysconf(_SC_PAGESIZE));
}

static double read_virtual(void *data)
{
    (void)data;
    return value_or_nan(read_stat(23), 1);
}

/* The start is counted from the boot, in ticks; /proc/stat says when that was. */
static double read_start_time(void *data)
{
    (void)data;
    FILE *file = fopen("/proc/stat", "re");
    char line[256];
    int64_t boot = -1;
    const struct str label = STR("btime ");
    if (!file)
        return (double)NAN;
    while (boot < 0 && fgets(line, sizeof(line), file))
        if (str_starts_with(str_from_c(line), label))
            boot = read_word(str_from_c(line), 2);
    fclose(file);
    const double started = value_or_nan(read_stat(22), 1 / (double)sysconf(_SC_CLK_TCK));
    return value_or_nan(boot, 1) + started;
}

void process_metrics_register(struct metrics *metrics)
{
    static metrics_read_fn *const sources[] = {
        [CPU] = read_cpu,           [OPEN_FDS] = read_open_fds, [MAX_FDS] = read_max_fds,
        [RESIDENT] = read_resident, [VIRTUAL] = read_virtual,   [START_TIME] = read_start_time,
    };
    metrics_register(metrics, families, COUNT(families));
    for (size_t i = 0; i < COUNT(sources); i++)
        metrics_set_source(metrics_series(metrics, &families[i], NULL, 0), sources[i], NULL);
}
