#include "peers/interop/nginx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "async/fiber.h"
#include "base/buf.h"
#include "peers/interop/interop_fixture.h"
#include "peers/interop/process.h"
#include "testing/test.h"

#define TEXT_LINES 1000
#define START_POLL (5 * MILLISECOND)

/*
 * A free port that stays ours until nginx has it: a socket that is bound but does not listen keeps
 * others away and takes no connection, and with SO_REUSEPORT nginx may share it.
 */
static int reserve_port(uint16_t *ret_port)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(address);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
        bind(fd, (struct sockaddr *)&address, len) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        test_fail(TEST_PLACE("port"), "cannot be had: %s", strerrordesc_np(errno));
    *ret_port = ntohs(address.sin_port);
    return fd;
}

/* One process, which is root if we are, so that nobody else needs access to the folder. */
static void write_main(struct buf *text)
{
    if (geteuid() == 0)
        buf_add(text, STR("user root;\n"));
    buf_add(text, STR("daemon off;\n"
                      "master_process off;\n"
                      "pid nginx.pid;\n"
                      "error_log stderr warn;\n"
                      "events { worker_connections 512; }\n"));
}

static void write_server(struct buf *text, const struct interop_fixture *fixture, uint16_t port)
{
    buf_print(text, "listen 127.0.0.1:%u ssl http2 reuseport;\n", port);
    buf_print(text, "ssl_certificate %s;\n", fixture->server_file);
    buf_print(text, "ssl_certificate_key %s;\n", fixture->server_key_file);
    buf_print(text, "ssl_client_certificate %s;\n", fixture->authority_file);
    buf_add(text, STR("ssl_verify_client on;\n"
                      "client_max_body_size 8m;\n"));
    buf_add(text, STR("location = /who {\n"
                      "  return 200 \"$ssl_client_s_dn|$server_protocol|$connection"
                      "|$connection_requests\\n\";\n"
                      "}\n"));
    buf_print(text, "location /files/ { alias %s/www/; }\n", fixture->folder.path);
    buf_print(text, "location = /text { root %s; }\n", fixture->folder.path);
    /* nginx only reads a body that it passes on: to a server of its own. */
    buf_print(text,
              "location = /upload {\n"
              "  client_body_in_file_only on;\n"
              "  proxy_set_header X-File $request_body_file;\n"
              "  proxy_set_header X-Method $request_method;\n"
              "  proxy_pass http://unix:%s/upload.sock:/;\n"
              "}\n",
              fixture->folder.path);
}

static void write_http(struct buf *text, const struct interop_fixture *fixture, uint16_t port,
                       const char *directives)
{
    buf_add(text, STR("http {\n"
                      "access_log off;\n"
                      "default_type text/plain;\n"
                      "types { application/octet-stream bin; }\n"
                      "gzip on;\n"
                      "gzip_types text/plain;\n"));
    static const char *const stores[] = {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"};
    for (size_t i = 0; i < COUNT(stores); i++)
        buf_print(text, "%s_temp_path %s/%s;\n", stores[i], fixture->folder.path, stores[i]);
    buf_add(text, STR("server {\n"));
    write_server(text, fixture, port);
    buf_print(text, "%s\n}\n", directives);
    buf_print(text,
              "server {\n"
              "  listen unix:%s/upload.sock;\n"
              "  location / { return 200 \"$http_x_method $http_x_file\"; }\n"
              "}\n}\n",
              fixture->folder.path);
}

static void write_text(struct interop_fixture *fixture)
{
    SCOPED(buf) text = {0};
    for (int i = 0; i < TEXT_LINES; i++)
        buf_print(&text, "line %d of a text that compresses well\n", i);
    folder_write(&fixture->folder, "text", buf_str(&text));
}

/* nginx listens before it writes its pid. Suspends. */
static void wait_listening(struct nginx *nginx, struct folder *folder)
{
    const char *pid = folder_file(folder, "nginx.pid");
    while (access(pid, F_OK) != 0) {
        CHECK_OK(fiber_sleep(START_POLL));
        FIBER_TIMEOUT(0);
        CHECK_ERROR(process_wait(nginx->process), ERROR_DEADLINE); /* or it says what is wrong */
    }
}

void nginx_init(struct nginx *nginx, struct interop_fixture *fixture, const char *directives)
{
    *nginx = (struct nginx){0};
    const int reserved = reserve_port(&nginx->port);
    SCOPED(buf) text = {0};
    write_main(&text);
    write_http(&text, fixture, nginx->port, directives);
    write_text(fixture);
    const char *configuration = folder_write(&fixture->folder, "nginx.conf", buf_str(&text));
    const char *folder = fixture->folder.path;
    CHECK_OK(process_start(
        &(struct process_options){
            .arguments = ARGUMENTS("nginx", "-p", folder, "-c", configuration, "-e", "stderr")},
        &nginx->process));
    wait_listening(nginx, &fixture->folder);
    close(reserved);
}

void nginx_done(struct nginx *nginx)
{
    process_free(nginx->process);
}
