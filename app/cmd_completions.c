/* weir completions SHELL: from the same tables as --help. Each command is offered the options
 * that it takes, by the letters that they have there (-f is --freq in a sweep). */
#include "app/commands.h"
#include "app/lists.h"
#include "app/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- words, in every shell ---- */

static bool takes_file(const weir_option *option)
{
    return option->complete && strcmp(option->complete, "file") == 0;
}

static bool takes_listed(const weir_option *option)
{
    return option->complete && !takes_file(option);
}

static bool takes_source(const weir_command *command, const weir_option *option)
{
    (void)option;
    return strncmp(command->arguments, "SOURCE", strlen("SOURCE")) == 0;
}

static bool takes_nothing(const weir_command *command, const weir_option *option)
{
    (void)option;
    return command->arguments[0] == '\0';
}

static bool takes_option(const weir_command *command, const weir_option *option)
{
    return weir_option_in_scope(option, &command->scope);
}

/* By its letter; without one, option is taken by its name only. */
static bool has_letter(const weir_command *command, const weir_option *option)
{
    return takes_option(command, option) && weir_option_letter(option, &command->scope) != 0;
}

static bool lacks_letter(const weir_command *command, const weir_option *option)
{
    return takes_option(command, option) && !has_letter(command, option);
}

typedef bool command_test(const weir_command *command, const weir_option *option);

/* The names of the commands that pass; test NULL: of all. */
static void print_commands(const char *separator, command_test *test, const weir_option *option)
{
    bool any = false;
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        if (!test || test(command, option)) {
            printf("%s%s", any ? separator : "", command->name);
            any = true;
        }
    }
}

static bool any_command(command_test *test, const weir_option *option)
{
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        if (test(command, option)) {
            return true;
        }
    }
    return false;
}

static void print_choices(const weir_option *option)
{
    for (size_t i = 0; option->choices[i]; i++) {
        printf("%s%s", i ? " " : "", option->choices[i]);
    }
}

static void print_topics(void)
{
    const char *topic;
    for (size_t i = 0; (topic = weir_list_topic_at(i)); i++) {
        printf("%s%s", i ? " " : "", topic);
    }
}

static void print_shells(void)
{
    fputs("bash zsh fish", stdout);
}

static void print_command_names(void)
{
    print_commands(" ", NULL, NULL);
}

/* Commands whose argument is one of these words, or of a list. */
static const struct {
    const char *command;
    void (*print)(void);
    const char *listed;
} places[] = {
    {"list", print_topics, NULL},
    {"completions", print_shells, NULL},
    {"help", print_command_names, NULL},
    {"windows", NULL, "windows"},
};

enum { N_PLACES = sizeof places / sizeof places[0] };

static void print_place(size_t i, const char *substitution)
{
    if (places[i].listed) {
        printf("%s(weir list %s 2>/dev/null)", substitution, places[i].listed);
    } else {
        places[i].print();
    }
}

/* "--name" of every option with a value, and its "-x": the next word belongs to it. */
static void print_value_options(const char *separator)
{
    const weir_option *option;
    const char *before = "";
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        if (option->type->takes_value) {
            printf("%s--%s", before, option->name);
            before = separator;
        }
        if (option->type->takes_value && option->letter) {
            printf("%s-%c", separator, option->letter);
        }
    }
}

/* ---- bash ---- */

/* The letter before the word is put as the option's name. */
static void print_bash_letter(const weir_option *option)
{
    if (!option->type->takes_value || !any_command(has_letter, option)) {
        return;
    }
    const weir_command *command;
    fputs("    ", stdout);
    bool any = false;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        if (has_letter(command, option)) {
            printf("%s%s-%c", any ? "|" : "", command->name, option->letter);
            any = true;
        }
    }
    printf(") prev=--%s;;\n", option->name);
}

static void print_bash_case(const weir_option *option)
{
    if (!option->type->takes_value) {
        return;
    }
    printf("    --%s) ", option->name);
    if (option->choices) {
        fputs("_weir_words '", stdout);
        print_choices(option);
        fputs("'; ", stdout);
    } else if (takes_listed(option)) {
        printf("_weir_words \"$(weir list %s 2>/dev/null)\"; ", option->complete);
    } else if (option->complete) {
        fputs("_weir_files; ", stdout);
    }
    fputs("return;;\n", stdout);
}

static void print_bash_options(void)
{
    const weir_command *command;
    fputs("  if [[ $cur == -* ]]; then\n    case $command in\n", stdout);
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        printf("    %s) _weir_words '", command->name);
        const weir_option *option;
        bool any = false;
        for (size_t k = 0; (option = weir_option_at(k)); k++) {
            if (takes_option(command, option)) {
                printf("%s--%s", any ? " " : "", option->name);
                any = true;
            }
        }
        fputs("';;\n", stdout);
    }
    fputs("    esac\n    return\n  fi\n", stdout);
}

/* The arms of a case on the command's word: what completes its arguments. Words come between
 * before and after. */
static void print_cases(const char *before, const char *after, const char *sources,
                        const char *files)
{
    for (size_t i = 0; i < N_PLACES; i++) {
        printf("    %s) %s", places[i].command, before);
        print_place(i, "$");
        printf("%s;;\n", after);
    }
    fputs("    ", stdout);
    print_commands("|", takes_nothing, NULL);
    fputs(") ;;\n    ", stdout);
    print_commands("|", takes_source, NULL);
    printf(") %s;;\n    *) %s;;\n", sources, files);
}

static void print_bash_arguments(void)
{
    fputs("  if [[ -z $word ]]; then\n    _weir_files\n    _weir_words '", stdout);
    print_commands(" ", NULL, NULL);
    fputs(" help'\n    _weir_words \"$(weir list sources 2>/dev/null)\"\n    return\n  fi\n"
          "  case $word in\n",
          stdout);
    print_cases("_weir_words \"", "\"",
                "_weir_files; _weir_words \"$(weir list sources 2>/dev/null)\"", "_weir_files");
    puts("  esac\n}\ncomplete -o filenames -F _weir weir");
}

/* The first word that is neither an option nor the value of one; options may stand before the
 * command. A colon and an equals sign part words here. */
static void print_bash_word(void)
{
    fputs("  local i word=\n  for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "    case ${COMP_WORDS[i]} in\n    --) word=--; break;;\n    ",
          stdout);
    print_value_options("|");
    puts(")\n      [[ ${COMP_WORDS[i+1]} == = ]] || ((i++))\n"
         "      while [[ ${COMP_WORDS[i+1]} == [:=] ]]; do ((i += 2)); done;;\n"
         "    -*) ;;\n    *) word=${COMP_WORDS[i]}; break;;\n    esac\n  done");
}

static void print_bash(void)
{
    const weir_option *option;
    puts("# bash completion for weir; made by `weir completions bash`\n"
         "_weir_add() { # lines of standard input; a word may go on after a colon or a slash\n"
         "  local word\n"
         "  while IFS= read -r word; do COMPREPLY+=(\"$word\"); done\n"
         "  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace\n}\n"
         "_weir_words() { _weir_add < <(compgen -W \"$1\" -- \"$cur\"); }\n"
         "_weir_files() { _weir_add < <(compgen -f -- \"$cur\"); }\n"
         "_weir() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=view\n"
         "  COMPREPLY=()\n"
         "  if [[ $cur == = ]]; then # --option=value comes as three words\n"
         "    cur=\n"
         "  elif [[ $prev == = ]]; then\n"
         "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi");
    print_bash_word();
    fputs("  case $word in ", stdout);
    print_commands("|", NULL, NULL);
    puts(") command=$word;; esac\n  case $command$prev in");
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_bash_letter(option);
    }
    puts("  esac\n  case $prev in");
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_bash_case(option);
    }
    puts("  esac");
    print_bash_options();
    print_bash_arguments();
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

/* "[help]:VALUE:action", and the end of the word. */
static void print_zsh_rest(const weir_option *option)
{
    putchar('[');
    print_zsh_text(option->help);
    putchar(']');
    if (option->type->takes_value) {
        putchar(':');
        print_zsh_text(option->argument);
        putchar(':');
        if (option->choices) {
            putchar('(');
            print_choices(option);
            putchar(')');
        } else if (takes_listed(option)) {
            printf("($(weir list %s 2>/dev/null))", option->complete);
        } else if (option->complete) {
            fputs("_files", stdout);
        }
    }
    putchar('\'');
}

static void print_zsh_option(const weir_option *option, command_test *test, bool with_letter)
{
    if (!any_command(test, option)) {
        return;
    }
    bool value = option->type->takes_value;
    fputs("  [[ $command == (", stdout);
    print_commands("|", test, option);
    fputs(") ]] && options+=(", stdout);
    if (with_letter) {
        printf("'*-%c%s", option->letter, value ? "+" : "");
        print_zsh_rest(option);
        putchar(' ');
    }
    printf("'*--%s%s", option->name, value ? "=" : "");
    print_zsh_rest(option);
    puts(")");
}

static void print_zsh_places(void)
{
    fputs("_weir_sources() { compadd -S '' -- $(weir list sources 2>/dev/null); _files }\n"
          "_weir_first() { compadd -- ",
          stdout);
    print_commands(" ", NULL, NULL);
    fputs(" help; _weir_sources }\n_weir_rest() {\n  case $word in\n", stdout);
    print_cases("compadd -- ", "", "_weir_sources", "_files");
    puts("  esac\n}");
}

static void print_zsh(void)
{
    const weir_option *option;
    puts("#compdef weir\n# made by `weir completions zsh`");
    print_zsh_places();
    fputs("_weir() {\n  local command=view word= i\n  local -a options\n"
          "  for ((i = 2; i < CURRENT; i++)); do # the first word that is no option or its value\n"
          "    case $words[i] in\n    --) word=--; break;;\n    ",
          stdout);
    print_value_options("|");
    fputs(") ((i++));;\n    -*) ;;\n    *) word=$words[i]; break;;\n    esac\n  done\n"
          "  case $word in ",
          stdout);
    print_commands("|", NULL, NULL);
    puts(") command=$word;; esac");
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_zsh_option(option, has_letter, true);
        print_zsh_option(option, lacks_letter, false);
    }
    puts("  _arguments $options '1:command or source:_weir_first' '*: :_weir_rest'\n}\n"
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

static void print_fish_option(const weir_option *option, command_test *test, bool with_letter)
{
    if (!any_command(test, option)) {
        return;
    }
    fputs("complete -c weir -n '__weir_runs ", stdout);
    print_commands(" ", test, option);
    printf("' -l %s", option->name);
    if (with_letter) {
        printf(" -s %c", option->letter);
    }
    if (option->type->takes_value) {
        fputs(takes_file(option) ? " -r -F" : " -r -f", stdout);
        if (option->choices) {
            fputs(" -a '", stdout);
            print_choices(option);
            putchar('\'');
        } else if (takes_listed(option)) {
            printf(" -a '(weir list %s 2>/dev/null)'", option->complete);
        }
    }
    fputs(" -d ", stdout);
    print_fish_quoted(option->help);
    putchar('\n');
}

static void print_fish_places(void)
{
    fputs("complete -c weir -n 'not __weir_word >/dev/null' -a '", stdout);
    print_commands(" ", NULL, NULL);
    puts(" help'");
    for (size_t i = 0; i < N_PLACES; i++) {
        printf("complete -c weir -n 'contains -- (__weir_word) %s' -f -a '", places[i].command);
        print_place(i, "");
        puts("'");
    }
    fputs("complete -c weir -n 'contains -- (__weir_word) ", stdout);
    print_commands(" ", takes_nothing, NULL);
    fputs("' -f\ncomplete -c weir -n 'not __weir_word >/dev/null; or contains -- (__weir_word) ",
          stdout);
    print_commands(" ", takes_source, NULL);
    puts("' -a '(weir list sources 2>/dev/null)'");
}

static void print_fish(void)
{
    const weir_option *option;
    fputs("# fish completion for weir; made by `weir completions fish`\n"
          "function __weir_word # the first that is neither an option nor the value of one\n"
          "    set -l skips 0\n    set -l words (commandline -opc)\n"
          "    for word in $words[2..-1]\n        if test $skips = 1\n"
          "            set skips 0\n            continue\n        end\n"
          "        switch $word\n            case ",
          stdout);
    print_value_options(" ");
    fputs("\n                set skips 1\n            case '-*'\n            case '*'\n"
          "                echo $word\n                return 0\n        end\n    end\n"
          "    return 1\nend\n"
          "function __weir_runs # one of these commands; view, where none is named\n"
          "    set -l command view\n    set -l word (__weir_word)\n"
          "    if set -q word[1]; and contains -- $word ",
          stdout);
    print_commands(" ", NULL, NULL);
    puts("\n        set command $word\n    end\n    contains -- $command $argv\nend");
    print_fish_places();
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        print_fish_option(option, has_letter, true);
        print_fish_option(option, lacks_letter, false);
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
