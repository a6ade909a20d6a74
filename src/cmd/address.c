#include "cmd/address.h"

#include "cmd/command.h"

/* The last colon separates the port, since IPv6 addresses contain colons. */
bool address_read(const char *text, struct address *ret_address)
{
    const struct str whole = str_from_c(text);
    const size_t colon = str_find_last_char(whole, ':');
    uint64_t port;
    if (colon == STR_NONE || !str_to_uint64(str_skip(whole, colon + 1), &port) || port > UINT16_MAX)
        return false;
    ret_address->port = (uint16_t)port;
    ret_address->host = colon ? str_slice(whole, 0, colon) : STR("0.0.0.0");
    if (ret_address->host.len > 2 && ret_address->host.ptr[0] == '[')
        ret_address->host = str_slice(ret_address->host, 1, ret_address->host.len - 1);
    return true;
}

bool address_read_optional(const char *text, struct address *ret_address)
{
    const struct str whole = str_from_c(text);
    *ret_address = (struct address){0};
    if (!whole.len || str_eq(whole, STR("0")))
        return true;
    return address_read(text, ret_address);
}

bool address_is_local(const struct address *address)
{
    const struct str host = address->host;
    return str_starts_with(host, STR("127.")) || str_eq(host, STR("::1")) ||
           str_eq(host, STR("localhost"));
}

struct error *address_explain(struct error *err, const char *flags)
{
    if (!error_is(err, ERROR_ALREADY_EXISTS))
        return err;
    return error_wrap(err,
                      "choose another port with %s (port 0: any that is free), or stop the program "
                      "that listens there",
                      flags);
}

void address_warn(const struct address *address, const char *text)
{
    if (address_is_local(address))
        return;
    command_say("warning: listening on %s, where other machines can reach it; anyone with a "
                "credential controls the cluster",
                text);
}
