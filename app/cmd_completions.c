/* weir completions SHELL: from the same tables as --help. */
#include "app/commands.h"
#include "app/lists.h"
#include "app/options.h"

#include <stdio.h>
#include <string.h>

static void print_command_names(const char *separator)
{
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        printf("%s%s", i ? separator : "", command->name);
    }
}

static void print_choices(const weir_option *option)
{
    for (size_t i = 0; option->choices[i]; i++) {
        printf("%s%s", i ? " " : "", option->choices[i]);
    }
}

/* ---- bash ---- */

static void print_bash_case(const weir_option *option)
{
    if (!option->type->takes_value) {
        return;
    }
    printf("    --%s", option->name);
    if (option->letter) {
        printf("|-%c", option->letter);
    }
    fputs(") ", stdout);
    if (option->choices) {
        fputs("COMPREPLY=($(compgen -W \"", stdout);
        print_choices(option);
        fputs("\" -- \"$cur\"))", stdout);
    } else if (option->complete && strcmp(option->complete, "file") != 0) {
        printf("COMPREPLY=($(compgen -W \"$(weir list %s 2>/dev/null)\" -- \"$cur\"))",
               option->complete);
    } else if (option->complete) {
        fputs("COMPREPLY=($(compgen -f -- \"$cur\"))", stdout);
    } else {
        fputs("COMPREPLY=()", stdout);
    }
    fputs("; return;;\n", stdout);
}

static void print_bash(void)
{
    const weir_option *option;
    puts("# bash completion for weir; made by `weir completions bash`\n_weir() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  case $prev in");
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_bash_case(option);
    }
    fputs("    list) COMPREPLY=($(compgen -W \"", stdout);
    const char *topic;
    for (size_t i = 0; (topic = weir_list_topic_at(i)); i++) {
        printf("%s%s", i ? " " : "", topic);
    }
    puts("\" -- \"$cur\")); return;;\n"
         "    completions) COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$cur\")); return;;\n"
         "  esac\n  if [[ $cur == -* ]]; then");
    fputs("    COMPREPLY=($(compgen -W \"", stdout);
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        printf("%s--%s", i ? " " : "", option->name);
    }
    fputs("\" -- \"$cur\"))\n  else\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY+=($(compgen -W \"",
          stdout);
    print_command_names(" ");
    puts("\" -- \"$cur\"))\n  fi\n}\ncomplete -o filenames -F _weir weir");
}

/* ---- zsh ---- */

static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:'\\`$\"", *text)) {
            fputs(*text == '\'' ? "'\\'" : "\\", stdout);
        }
        putchar(*text);
    }
}

static void print_zsh_option(const weir_option *option)
{
    printf("  '--%s%s[", option->name, option->type->takes_value ? "=" : "");
    print_zsh_text(option->help);
    putchar(']');
    if (option->type->takes_value) {
        printf(":%s:", option->argument);
        if (option->choices) {
            putchar('(');
            print_choices(option);
            putchar(')');
        } else if (option->complete && strcmp(option->complete, "file") != 0) {
            printf("($(weir list %s 2>/dev/null))", option->complete);
        } else if (option->complete) {
            fputs("_files", stdout);
        }
    }
    puts("' \\");
}

static void print_zsh(void)
{
    const weir_option *option;
    puts("#compdef weir\n# made by `weir completions zsh`\n_weir() {\n_arguments \\");
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_zsh_option(option);
    }
    fputs("  '1:command or source:_alternative \"files:file:_files\" \"commands:command:(", stdout);
    print_command_names(" ");
    puts(")\"' \\\n  '*:file:_files'\n}\n"
         "if [ \"$funcstack[1]\" = \"_weir\" ]; then _weir \"$@\"; else compdef _weir weir; fi");
}

/* ---- fish ---- */

static void print_fish_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('\'');
}

static void print_fish_option(const weir_option *option)
{
    printf("complete -c weir -l %s", option->name);
    if (option->letter) {
        printf(" -s %c", option->letter);
    }
    if (option->type->takes_value) {
        fputs(" -r", stdout);
        if (option->choices) {
            fputs(" -f -a '", stdout);
            print_choices(option);
            putchar('\'');
        } else if (option->complete && strcmp(option->complete, "file") != 0) {
            printf(" -f -a '(weir list %s 2>/dev/null)'", option->complete);
        } else if (!option->complete) {
            fputs(" -f", stdout);
        }
    }
    fputs(" -d ", stdout);
    print_fish_quoted(option->help);
    putchar('\n');
}

static void print_fish(void)
{
    const weir_option *option;
    puts("# fish completion for weir; made by `weir completions fish`");
    fputs("complete -c weir -n __fish_use_subcommand -a '", stdout);
    print_command_names(" ");
    puts("'");
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_fish_option(option);
    }
}

weir_status weir_cmd_completions(const weir_settings *settings, int n_arguments, char **arguments,
                                 weir_error *err)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    (void)settings;
    (void)n_arguments;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(arguments[0], shells[i].shell) == 0) {
            shells[i].print();
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, "no completions for \"%.32s\"; there are bash, zsh, fish",
                     arguments[0]);
}
