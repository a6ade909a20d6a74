/* Heads of messages: ownership, the checks before sending, and names of status codes. */
#include "http/head.h"

#include "base/memory.h"

void http_head_done(struct http_head *head)
{
    http_headers_done(&head->headers);
    buf_done(&head->text);
    *head = (struct http_head){0};
}

struct http_head http_head_take(struct http_head *head)
{
    const struct http_head taken = *head;
    *head = (struct http_head){0};
    return taken;
}

/* The same text at its new place, *at bytes behind base. */
static struct str view(const char *base, size_t *at, struct str s)
{
    const struct str moved = {base + *at, s.len};
    *at += s.len;
    return moved;
}

/*
 * Copies the four texts into one buffer, which replaces the former one, and points to the copies.
 */
void http_head_own(struct http_head *head)
{
    struct buf text = {.secret = true}; /* a target may carry a token */
    buf_add(&text, head->method);
    buf_add(&text, head->scheme);
    buf_add(&text, head->authority);
    buf_add(&text, head->target);
    size_t at = 0;
    const char *base = buf_c(&text);
    head->method = view(base, &at, head->method);
    head->scheme = view(base, &at, head->scheme);
    head->authority = view(base, &at, head->authority);
    head->target = view(base, &at, head->target);
    buf_done(&head->text);
    head->text = text;
}

/* Visible characters only: a blank or a line end would end its part of a request line. */
static bool is_visible(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c <= 0x20 || c == 0x7f)
            return false;
    }
    return text.len > 0;
}

/* Host and port only: characters that begin another part of a URL are refused. */
static bool is_authority(struct str text)
{
    return is_visible(text) && str_find_char(text, '/') == STR_NONE &&
           str_find_char(text, '@') == STR_NONE && str_find_char(text, '?') == STR_NONE &&
           str_find_char(text, '#') == STR_NONE && str_find_char(text, ',') == STR_NONE;
}

static bool is_target(struct str method, struct str target)
{
    if (str_eq(method, STR("OPTIONS")) && str_eq(target, STR("*")))
        return true;
    return is_visible(target) && target.ptr[0] == '/' && str_find_char(target, '#') == STR_NONE;
}

struct error *http_head_check_request(const struct http_head *head)
{
    if (!http_is_token(head->method))
        return error_new(ERROR_INVALID, "request method is not a token");
    if (!is_authority(head->authority))
        return error_new(ERROR_INVALID, "request has no valid host");
    if (str_eq(head->method, STR("CONNECT")) ? head->target.len != 0
                                             : !is_target(head->method, head->target))
        return error_new(ERROR_INVALID, "request target is not a path");
    return NULL;
}

struct error *http_head_check_response(const struct http_head *head)
{
    if (head->status < 200 || head->status > 599)
        return error_new(ERROR_INVALID, "response status %d", head->status);
    return NULL;
}

/* Digits only: signs, blanks and lists are read differently by different peers. */
struct error *http_head_read_length(const struct http_head *head, int64_t *ret_length)
{
    const struct str text = http_headers_find(&head->headers, STR("content-length"));
    *ret_length = -1;
    if (!text.ptr)
        return NULL;
    if (http_headers_count(&head->headers, STR("content-length")) > 1)
        return error_new(ERROR_PROTOCOL, "content-length is given twice");
    uint64_t length = 0;
    if (!str_to_uint64(text, &length) || length > INT64_MAX)
        return error_new(ERROR_PROTOCOL, "content-length is not a length");
    *ret_length = (int64_t)length;
    return NULL;
}

bool http_has_no_body(struct str request_method, int status)
{
    return str_eq(request_method, STR("HEAD")) || status < 200 || status == 204 || status == 304;
}

struct str http_status_text(int status)
{
    static const struct {
        int status;
        struct str text;
    } texts[] = {
        {100, STR_INIT("Continue")                       },
        {101, STR_INIT("Switching Protocols")            },
        {200, STR_INIT("OK")                             },
        {201, STR_INIT("Created")                        },
        {202, STR_INIT("Accepted")                       },
        {204, STR_INIT("No Content")                     },
        {206, STR_INIT("Partial Content")                },
        {301, STR_INIT("Moved Permanently")              },
        {302, STR_INIT("Found")                          },
        {303, STR_INIT("See Other")                      },
        {304, STR_INIT("Not Modified")                   },
        {307, STR_INIT("Temporary Redirect")             },
        {308, STR_INIT("Permanent Redirect")             },
        {400, STR_INIT("Bad Request")                    },
        {401, STR_INIT("Unauthorized")                   },
        {403, STR_INIT("Forbidden")                      },
        {404, STR_INIT("Not Found")                      },
        {405, STR_INIT("Method Not Allowed")             },
        {406, STR_INIT("Not Acceptable")                 },
        {407, STR_INIT("Proxy Authentication Required")  },
        {408, STR_INIT("Request Timeout")                },
        {409, STR_INIT("Conflict")                       },
        {410, STR_INIT("Gone")                           },
        {412, STR_INIT("Precondition Failed")            },
        {413, STR_INIT("Content Too Large")              },
        {415, STR_INIT("Unsupported Media Type")         },
        {422, STR_INIT("Unprocessable Content")          },
        {429, STR_INIT("Too Many Requests")              },
        {431, STR_INIT("Request Header Fields Too Large")},
        {500, STR_INIT("Internal Server Error")          },
        {501, STR_INIT("Not Implemented")                },
        {502, STR_INIT("Bad Gateway")                    },
        {503, STR_INIT("Service Unavailable")            },
        {504, STR_INIT("Gateway Timeout")                },
        {505, STR_INIT("HTTP Version Not Supported")     },
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i].status == status)
            return texts[i].text;
    return STR("");
}
