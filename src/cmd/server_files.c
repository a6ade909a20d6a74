#include "cmd/server_files.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/secret_file.h"
#include "app/standalone.h"
#include "async/worker.h"
#include "base/buf.h"

struct writing {
    const char *folder, *name;
    struct str content;
    struct error *(*write)(const char *folder, const char *name, struct str content);
    struct error *err;
};

static void run_writing(void *data)
{
    struct writing *writing = data;
    writing->err = writing->write(writing->folder, writing->name, writing->content);
}

/* On a worker thread: the server may be at work. */
static struct error *write_in(const char *folder, const char *name, struct str content, bool sync)
{
    struct writing writing = {.folder = folder,
                              .name = name,
                              .content = content,
                              .write = sync ? secret_file_write : secret_file_remake};
    TRY(worker_run(run_writing, &writing, NULL));
    return writing.err;
}

/* Writes a temporary file and renames it, so that readers never see a part of it. */
static struct error *write_file(const char *path, struct str content)
{
    SCOPED(buf) folder = {.limit = 0};
    const struct str whole = str_from_c(path);
    const size_t slash = str_find_last_char(whole, '/');
    const struct str name = slash == STR_NONE ? whole : str_skip(whole, slash + 1);
    if (slash == STR_NONE)
        buf_add_char(&folder, '.');
    else
        buf_add(&folder, str_slice(whole, 0, slash ? slash : 1));
    return write_in(buf_c(&folder), name.ptr, content, true);
}

static struct error *write_kubeconfig(const struct standalone *standalone, const char *path)
{
    SCOPED(buf) text = {.secret = true};
    standalone_admin_kubeconfig(standalone, &text);
    return write_file(path, buf_str(&text));
}

static struct error *write_cluster(const struct standalone *standalone, const char *folder,
                                   size_t index)
{
    SCOPED(buf) text = {.secret = true};
    SCOPED(buf) name = {.limit = 0};
    standalone_cluster_kubeconfig(standalone, index, &text);
    buf_print(&name, "%.*s.kubeconfig",
              STR_ARG(apiserver_cluster_name(standalone_server(standalone), index)));
    return write_in(folder, buf_c(&name), buf_str(&text), false);
}

/* An earlier run may have had more clusters; their names continue without gaps. */
static void remove_leftovers(const char *folder, size_t count)
{
    for (;;) {
        SCOPED(buf) path = {.limit = 0};
        buf_print(&path, "%s/vc-%04zu.kubeconfig", folder, ++count);
        if (unlink(buf_c(&path)) != 0)
            return;
    }
}

/* The folder is for the owner alone: the files hold credentials. */
static struct error *write_clusters(const struct standalone *standalone, const char *folder)
{
    const size_t count = apiserver_cluster_count(standalone_server(standalone));
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return error_from_errno(errno, "make %s", folder);
    for (size_t i = 0; i < count; i++)
        TRY(write_cluster(standalone, folder, i));
    remove_leftovers(folder, count);
    return NULL;
}

/* The admin's kubeconfig comes last: a script that waits for it finds the others. */
struct error *server_files_write(const struct server_files *files,
                                 const struct standalone *standalone)
{
    SCOPED(buf) path = {.limit = 0};
    SCOPED(buf) clusters = {.limit = 0};
    if (files->data_dir) {
        buf_print(&path, "%s/kubeconfig", files->data_dir);
        buf_print(&clusters, "%s/clusters", files->data_dir);
        TRY(write_clusters(standalone, buf_c(&clusters)));
        TRY(write_kubeconfig(standalone, buf_c(&path)));
    }
    if (files->clusters)
        TRY(write_clusters(standalone, files->clusters));
    return files->kubeconfig ? write_kubeconfig(standalone, files->kubeconfig) : NULL;
}
