"""What completes a command line in a shell: verbs, options and choices, as the parser has them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from gossamer.cli.guide import options_of, verbs_of

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
    case "$verb" in
{words}
    esac
    COMPREPLY+=($(compgen -f -- "$word"))
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
            if action.choices and action.option_strings:
                pattern = "|".join(f'"{name} {option}"' for option in action.option_strings)
                choices.append(_case(pattern, action.choices, 8, last=True))
            elif action.choices:
                words.append(_case(name, action.choices, 8))
    return _BASH.format(
        verbs=" ".join(verbs),
        choices="".join(choices).rstrip("\n") or "        *) ;;",
        options="".join(options).rstrip("\n"),
        words="".join(words).rstrip("\n") or "        *) ;;",
    )


def _case(pattern: str, words: object, indent: int, *, last: bool = False) -> str:
    listed = " ".join(map(str, words))  # type: ignore[call-overload]  # choices are any container that can be listed
    end = "return ;;" if last else ";;"
    return f'{" " * indent}{pattern}) COMPREPLY=($(compgen -W "{listed}" -- "$word")); {end}\n'


def _zsh(verbs: Mapping[str, argparse.ArgumentParser]) -> str:
    """By way of the one for bash, which zsh can run."""
    head = "#compdef gossamer\n# zsh completion; put `source <(gossamer completion zsh)` into ~/.zshrc\n"
    return f"{head}autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n{_bash(verbs)}"


def _fish(verbs: Mapping[str, argparse.ArgumentParser]) -> str:
    lines = ["# fish completion; gossamer completion fish > ~/.config/fish/completions/gossamer.fish"]
    for name, verb in verbs.items():
        lines.append(f"complete -c gossamer -n __fish_use_subcommand -f -a {name} -d {_quoted(verb.description)}")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for action in verb._actions:
            listed = f" -x -a '{' '.join(map(str, action.choices))}'" if action.choices else ""
            if action.option_strings:
                named = " ".join(
                    f"-l {each[2:]}" if each[:2] == "--" else f"-s {each[1:]}" for each in action.option_strings
                )
                lines.append(f"complete -c gossamer {seen} {named}{listed} -d {_quoted(action.help)}")
            elif listed:
                lines.append(f"complete -c gossamer {seen}{listed}")
    return "\n".join(lines) + "\n"


def _quoted(words: str | None) -> str:
    return "'" + (words or "").replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Mapping[str, Callable[[Mapping[str, argparse.ArgumentParser]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
