"""What completes a command line in a shell: verbs, options and choices, as the parser has them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

from gossamer.cli.guide import first_sentence, options_of, verbs_of
from gossamer.settings import SETTINGS

_BASH = """\
# bash completion for gossamer; put `source <(gossamer completion bash)` into ~/.bashrc
_gossamer() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{verbs} --help --version" -- "$word"))
        return
    fi
    case "$verb $before" in
{choices}
    esac
    if [ "${{word#-}}" != "$word" ]; then
        case "$verb" in
{options}
        esac
        return
    fi
    if [ "${{before#-}}" = "$before" ]; then
        case "$verb $((COMP_CWORD > 2))" in
{words}
        esac
    fi
    COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _gossamer gossamer
"""


def script(shell: str, top: argparse.ArgumentParser) -> str:
    """For one of `SHELLS`."""
    return SHELLS[shell](verbs_of(top))


def _bash(verbs: Mapping[str, argparse.ArgumentParser]) -> str:
    choices, options, words = [], [], []
    for name, verb in verbs.items():
        options.append(_case(name, options_of(verb), 12))
        for action in verb._actions:
            listed = _choices(name, action, verbs)
            if listed and action.option_strings:
                pattern = "|".join(f'"{name} {option}"' for option in action.option_strings)
                choices.append(_case(pattern, listed, 8, last=True))
            elif listed:
                # what is not the first word comes behind a directory, and then there is no file in its place
                place = "?" if not _takes_files(verb) else "0" if _is_first(action, verb) else "1"
                words.append(_case(f'"{name} "{place}', listed, 12, last=True))
    return _BASH.format(
        verbs=" ".join(verbs),
        choices="".join(choices).rstrip("\n") or "        *) ;;",
        options="".join(options).rstrip("\n"),
        words="".join(words).rstrip("\n") or "            *) ;;",
    )


def _case(pattern: str, words: Sequence[str], indent: int, *, last: bool = False) -> str:
    listed = " ".join(words)
    end = "return ;;" if last else ";;"
    if last and listed.endswith("="):  # the value follows at once
        end = f"compopt -o nospace 2>/dev/null; {end}"
    return f'{" " * indent}{pattern}) COMPREPLY=($(compgen -W "{listed}" -- "$word")); {end}\n'


def _zsh(verbs: Mapping[str, argparse.ArgumentParser]) -> str:
    """By way of the one for bash, which zsh can run."""
    head = "#compdef gossamer\n# zsh completion; put `source <(gossamer completion zsh)` into ~/.zshrc\n"
    begin = "(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }\n"
    return f"{head}{begin}autoload -U +X bashcompinit && bashcompinit\n{_bash(verbs)}"


_FISH = """\
# fish completion; gossamer completion fish > ~/.config/fish/completions/gossamer.fish
function __gossamer_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
function __gossamer_no_verb
    test (count (commandline -opc)) -eq 1
end
function __gossamer_behind
    test (count (commandline -opc)) -gt 2
end
complete -c gossamer -n __gossamer_no_verb -f -l help -d 'show this help'
complete -c gossamer -n __gossamer_no_verb -f -l version -d 'show the version'
"""


def _fish(verbs: Mapping[str, argparse.ArgumentParser]) -> str:
    lines = []
    for name, verb in verbs.items():
        words = _quoted(first_sentence(verb))
        lines.append(f"complete -c gossamer -n __gossamer_no_verb -f -a {name} -d {words}")
        for action in verb._actions:
            if words := _of_fish(action, listed := _choices(name, action, verbs)):
                behind = ""
                if listed and not action.option_strings and _takes_files(verb):
                    behind = f"; and {'not ' if _is_first(action, verb) else ''}__gossamer_behind"
                lines.append(f"complete -c gossamer -n '__gossamer_verb {name}{behind}' {words}")
    return _FISH + "\n".join(lines) + "\n"


def _of_fish(action: argparse.Action, choices: Sequence[str]) -> str:
    """An option, or what may stand in the place of a word, where no file may."""
    listed = f"-a '{' '.join(choices)}'" if choices else ""
    if not action.option_strings:
        return f"-f {listed}" if listed else ""
    names = " ".join(f"-l {each[2:]}" if each[:2] == "--" else f"-s {each[1:]}" for each in action.option_strings)
    value = "" if action.nargs == 0 else f" -x {listed}" if listed else " -r -F"
    return f"{names}{value} -d {_quoted(action.help)}"


def _is_first(action: argparse.Action, verb: argparse.ArgumentParser) -> bool:
    """Whether it is the word right behind the command."""
    return action is next(each for each in verb._actions if not each.option_strings)


def _takes_files(verb: argparse.ArgumentParser) -> bool:
    return any(not action.option_strings and action.dest not in ("about", "shell") for action in verb._actions)


def _choices(name: str, action: argparse.Action, verbs: Mapping[str, argparse.ArgumentParser]) -> Sequence[str]:
    """What may stand there; `help` takes any command."""
    if name == "help" and not action.option_strings:
        return list(verbs)
    if action.dest == "assigned":
        return [f"{each}=" for each in SETTINGS]
    if name == "list" and action.dest == "state":
        from gossamer.collection.ask.addresses import STATES

        return list(STATES)
    return [str(each) for each in action.choices or ()]


def _quoted(words: str | None) -> str:
    return "'" + (words or "").replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Mapping[str, Callable[[Mapping[str, argparse.ArgumentParser]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
