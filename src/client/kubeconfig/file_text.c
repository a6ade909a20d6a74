#include "client/kubeconfig/file_text.h"

#include "async/worker.h"
#include "base/memory.h"
#include "client/kubeconfig/kubeconfig_internal.h"

/* A read on a worker thread. It may outlive the call, so it owns everything that it uses. */
struct file_job {
    char *path;
    kubeconfig_read_fn *read_file;
    void *read_data;
    struct buf text;
    struct error *err;
};

static void file_job_free(struct file_job *job)
{
    if (!job)
        return;
    mem_free(job->path);
    buf_done(&job->text);
    error_free(job->err);
    mem_free(job);
}
DEFINE_OWNED(file_job)

/* Runs on the worker thread. */
static void read_job(void *data)
{
    struct file_job *job = data;
    job->err =
        kubeconfig_read_file(job->read_file, job->read_data, str_from_c(job->path), &job->text);
}

/* Called instead of the caller if the fiber stopped waiting. */
static void discard_job(void *data)
{
    file_job_free(data);
}

static struct file_job *file_job_new(const struct file_text_options *options)
{
    struct file_job *job = NEW(struct file_job);
    job->path = mem_dup(options->path.ptr, options->path.len);
    job->read_file = options->read_file;
    job->read_data = options->read_data;
    job->text = (struct buf){.limit = options->limit, .secret = options->secret};
    return job;
}

/* Copies the text only after the worker is done: a buffer of the caller could be gone before. */
struct error *file_text_read(const struct file_text_options *options, struct buf *text)
{
    OWNED(file_job) job = file_job_new(options);
    struct error *err = worker_run(read_job, job, discard_job);
    if (err) {
        job = NULL; /* discard_job() frees it */
        return err;
    }
    TRY(TAKE(job->err));
    TRY(buf_check(&job->text));
    buf_add(text, buf_str(&job->text));
    return NULL;
}

bool file_text_was_interrupted(const struct error *err)
{
    return error_is(err, ERROR_CANCELED) || error_is(err, ERROR_DEADLINE);
}
