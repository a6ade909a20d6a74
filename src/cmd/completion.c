/*
 * corset completion: prints scripts for bash, zsh and fish. The scripts call the hidden command
 * "corset __complete", see complete.h, so they never have to be changed with the commands.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/complete.h"
#include "cmd/global_flags.h"

/*
 * bash splits words at "=" and ":". The first belongs to a flag here, the second to a name such as
 * that of a context of EKS, so the script joins them again, and answers with the rest of the word.
 */
static const char bash_script[] =
    "# bash completion of corset\n"
    "_corset() {\n"
    "    local line word i joins='' directive='' words=() answers=()\n"
    "    # '=' and ':' are words of their own to bash; here they belong to flags and names.\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == [=:] && ${#words[@]} -gt 0 ]]; then\n"
    "            words[-1]+=$word\n"
    "            joins=1\n"
    "        elif [[ -n $joins ]]; then\n"
    "            words[-1]+=$word\n"
    "            joins=''\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :*) directive=${line#:} ;;\n"
    "        *) answers+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete \"${words[@]}\" 2>/dev/null)\n"
    "    COMPREPLY=(\"${answers[@]}\")\n"
    "    word=${words[-1]}\n"
    "    if [[ $word == --*=* ]]; then\n"
    "        word=${word#*=}\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#*=}\")\n"
    "    fi\n"
    "    [[ $word != *:* ]] || COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*:}\"}\"}\")\n"
    "    case $directive in\n"
    "    0) compopt -o default ;;\n"
    "    16) compopt -o dirnames ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _corset corset\n";

/* Works both as a file on $fpath and sourced from ~/.zshrc. */
static const char zsh_script[] =
    "#compdef corset\n"
    "# zsh completion of corset\n"
    "_corset() {\n"
    "    local line directive=''\n"
    "    local -a answers\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :*) directive=${line#:} ;;\n"
    "        *$'\\t'*) answers+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        *) answers+=(\"${line//:/\\\\:}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[1]}\" __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
    "    (( ${#answers} )) && _describe corset answers\n"
    "    case $directive in\n"
    "    0) _files ;;\n"
    "    16) _files -/ ;;\n"
    "    esac\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _corset ]; then\n"
    "    _corset \"$@\"\n"
    "else\n"
    "    compdef _corset corset\n"
    "fi\n";

/* The last line of the answer is the directive; the other lines are candidates. */
static const char fish_script[] =
    "# fish completion of corset\n"
    "function __corset_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l answers ($words[1] __complete $words[2..-1] 2>/dev/null)\n"
    "    set -l directive $answers[-1]\n"
    "    string match -v -r '^:[0-9]+$' -- $answers\n"
    "    switch $directive\n"
    "        case ':0'\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        case ':16'\n"
    "            __fish_complete_directories (commandline -ct)\n"
    "    end\n"
    "end\n"
    "complete -c corset -f -a '(__corset_complete)'\n";

static const struct {
    const char *name, *script;
} shells[] = {
    {"bash", bash_script},
    {"zsh",  zsh_script },
    {"fish", fish_script},
};

struct settings {
    struct flag_list shells;
    struct global_flags globals;
};

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"", FLAG_LIST, AT(shells), "bash zsh fish"},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* Exactly one shell has to be named. */
static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_completion, argc, argv, settings))
        return COMMAND_USAGE;
    if (settings->shells.count != 1)
        return command_misused(&command_completion, "give one of bash, zsh and fish");
    for (size_t i = 0; i < COUNT(shells); i++)
        if (strcmp(settings->shells.items[0], shells[i].name) == 0)
            return command_print(str_from_c(shells[i].script));
    return command_misused(&command_completion, "there is bash, zsh and fish, but no '%s'",
                           settings->shells.items[0]);
}

static int run_completion(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.shells);
    return code;
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print shell completions for bash, zsh and fish",
    .help = "Prints a script that makes a shell complete commands, flags and their values,\n"
            "and names: of sets, clusters and namespaces from the management cluster, of contexts\n"
            "from the kubeconfig.\n\n"
            "Usage: corset completion bash|zsh|fish\n\n"
            "  bash: source <(corset completion bash)              # in ~/.bashrc\n"
            "  zsh:  source <(corset completion zsh)               # in ~/.zshrc, after compinit\n"
            "  fish: corset completion fish | source               # in config.fish\n\n"
            "'make install' puts them where bash, zsh and fish look by themselves.\n\n"
            "Try it:\n"
            "  source <(corset completion bash)\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_completion,
};
