#include "web/web_files.h"

/* Of web_files.S. */
extern const char web_style_begin[], web_style_end[];
extern const char web_script_begin[], web_script_end[];
extern const char web_icon_begin[], web_icon_end[];

static struct web_file make_file(struct str path, struct str type, const char *begin,
                                 const char *end)
{
    return (struct web_file){path, type, str_from(begin, (size_t)(end - begin))};
}

bool web_files_find(struct str path, struct web_file *ret_file)
{
    const struct web_file files[] = {
        make_file(STR("/style.css"), STR("text/css; charset=utf-8"), web_style_begin,
                  web_style_end),
        make_file(STR("/live.js"), STR("text/javascript; charset=utf-8"), web_script_begin,
                  web_script_end),
        make_file(STR("/icon.svg"), STR("image/svg+xml"), web_icon_begin, web_icon_end),
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        if (!str_eq(path, files[i].path))
            continue;
        *ret_file = files[i];
        return true;
    }
    return false;
}
