#include "base/process_metrics.h"

#include <stdlib.h>
#include <time.h>

#include "base/metrics.h"
#include "testing/test.h"

/* The value of a metric without labels, from the text. */
static double value_of(const struct buf *text, const char *name)
{
    struct str rest = buf_str(text), line, word;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        str_cut(&line, ' ', &word);
        if (str_eq(word, str_from_c(name)))
            return strtod(line.ptr, NULL);
    }
    TEST_CASE("%s", name);
    CHECK(false);
    return 0;
}

TEST(a_process_tells_of_its_time_memory_and_descriptors)
{
    OWNED(metrics) metrics = metrics_new();
    SCOPED(buf) text = {0};
    process_metrics_register(metrics);
    metrics_write(metrics, &text);
    CHECK(value_of(&text, "process_cpu_seconds_total") >= 0);
    CHECK(value_of(&text, "process_resident_memory_bytes") > 1e5);
    CHECK(value_of(&text, "process_virtual_memory_bytes") >=
          value_of(&text, "process_resident_memory_bytes"));
    CHECK(value_of(&text, "process_open_fds") >= 3);
    CHECK(value_of(&text, "process_open_fds") < value_of(&text, "process_max_fds"));
    const double age = (double)time(NULL) - value_of(&text, "process_start_time_seconds");
    CHECK(age > -60 && age < 3600);
}
