#!/usr/bin/env python3
"""Lengths of the C and CUDA functions in the files given.

    tools/check_functions.py [--limit 80] [--list] FILE...

A function's length is the number of lines from its first one (return type, template or
attribute included) to its closing brace. Fails when one is over the limit, and prints the
median, the 90th percentile and the longest in any case.
"""
import argparse
import math
import re
import sys

# Comments, literals and preprocessor lines: whatever in them looks like a brace is none.
TOKEN = re.compile(
    r"""
      (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    | (?P<raw>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<char>(?<![0-9A-Za-z_])(?:L|u8|u|U)?'(?:\\.|[^'\\\n])*')
    | (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|(?!//|/\*)[^\n])*)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
ATTRIBUTE = re.compile(r"\b(__attribute__|__launch_bounds__|_Alignas|alignas|__declspec)\s*\(")
CONTAINER = re.compile(r'(\bextern\s+""|\bnamespace\b[\w\s:]*|\b(?:struct|class|union)\b[^()=]*)$')
AFTER_PARAMETERS = re.compile(r"(\s|\b(?:const|noexcept|override|final)\b)+$")
NAME = re.compile(r"(~?[A-Za-z_]\w*|operator\s*\S+)\s*$")


def blank(text):
    """Spaces in place of all but the line ends, so that positions stay."""
    return re.sub(r"[^\n]", " ", text)


def balance(text):
    return text.count("{") - text.count("}")


def drop_alternatives(text, directives):
    """Blanks the #else branches that would leave braces open: one opening brace per
    #if is then left, as in what the compiler sees."""
    stack, cuts = [], []
    for start, end, word in directives:
        if word.startswith("if"):
            stack.append([end, False])
        elif word in ("else", "elif", "elifdef", "elifndef", "endif") and stack:
            begin, is_alternative = stack[-1]
            if is_alternative and balance(text[begin:start]) != 0:
                cuts.append((begin, start))
            stack[-1] = [end, True]
            if word == "endif":
                stack.pop()
    for begin, end in cuts:
        text = text[:begin] + blank(text[begin:end]) + text[end:]
    return text


def strip(source):
    """The source with nothing but code left in it, every character at its old place."""
    directives = []

    def replace(match):
        found = match.group(0)
        if match.lastgroup == "directive" or match.group("directive") is not None:
            word = re.match(r"\s*#\s*(\w*)", found).group(1)
            directives.append((match.start(), match.end(), word))
            return blank(found)
        if match.group("string") is not None:
            return '"' + blank(found[1:-1]) + '"'
        return blank(found)

    text = TOKEN.sub(replace, source)
    return drop_alternatives(text, directives)


def matching(text, start):
    """The position after the parenthesis that closes the one at start."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)


def without_attributes(text):
    while True:
        match = ATTRIBUTE.search(text)
        if not match:
            return text
        end = matching(text, match.end() - 1)
        text = text[: match.start()] + blank(text[match.start() : end]) + text[end:]


def has_initializer(text):
    """True for an = outside parentheses and angle brackets' defaults: data, not a function."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1, "<": 1, ">": -1}.get(character, 0)
        if character == "=" and depth <= 0:
            return True
    return False


def function_name(head):
    """The name that a declaration before { defines as a function; None if it is no function."""
    head = without_attributes(head)
    if has_initializer(head):
        return None
    if AFTER_PARAMETERS.search(head):
        head = AFTER_PARAMETERS.sub("", head)
    if not head.endswith(")"):
        return None
    position = 0
    while True:
        opening = head.find("(", position)
        if opening < 0:
            return None
        name = NAME.search(head[:opening])
        if name:
            return name.group(1)
        position = opening + 1


def functions(source):
    """(name, first line, last line) of every function defined in the source."""
    text = strip(source)
    found, scopes, start = [], [], 0  # start: of the declaration at hand
    for position, character in enumerate(text):
        if character == "{":
            head = text[start:position]
            inside = scopes[-1][0] if scopes else "container"
            if inside != "container":
                scopes.append(("block", None, None))
                continue
            name = function_name(head)
            if name:
                first = start + len(head) - len(head.lstrip())
                scopes.append(("function", name, source.count("\n", 0, first) + 1))
            elif not has_initializer(head) and CONTAINER.search(
                re.sub(r'"\s*"', '""', without_attributes(head)).rstrip()
            ):
                scopes.append(("container", None, None))
                start = position + 1
            else:
                scopes.append(("block", None, None))
        elif character == "}" and scopes:
            kind, name, first = scopes.pop()
            if kind == "function":
                found.append((name, first, source.count("\n", 0, position) + 1))
            if kind != "block" and (not scopes or scopes[-1][0] == "container"):
                start = position + 1
        elif character == ";" and (not scopes or scopes[-1][0] == "container"):
            start = position + 1
    if scopes:
        raise ValueError("braces do not match")
    return found


def percentile(values, share):
    """Nearest rank: the smallest value that at least this share of all does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=80)
    parser.add_argument("--list", action="store_true", help="print every function's length")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    lengths, failed = [], False
    for path in arguments.files:
        with open(path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        try:
            found = functions(source)
        except ValueError as error:
            print(f"{path}: {error}")
            failed = True
            continue
        for name, first, last in found:
            length = last - first + 1
            lengths.append(length)
            if arguments.list:
                print(f"{length:4d} {path}:{first}: {name}")
            if length > arguments.limit:
                print(f"{path}:{first}: {name} has {length} lines, over {arguments.limit}")
                failed = True
    if lengths:
        print(
            f"{len(lengths)} functions: median {percentile(lengths, 0.5)} lines, "
            f"90 % within {percentile(lengths, 0.9)}, longest {max(lengths)}"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
