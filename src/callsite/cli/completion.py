"""How does a shell complete our command lines? Scripts made from the parser, so that they know every option."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from callsite.cli.arguments import COLOURS, COMMANDS, SHELLS, UsageError, make_parser
from callsite.types import CHUNK_TYPES
from callsite.values import dataclass

_CHOICES = {"--type": CHUNK_TYPES, "--color": COLOURS}


@dataclass(frozen=True, slots=True)
class _Option:
    names: tuple[str, ...]
    takes_value: bool
    help: str

    @property
    def choices(self) -> tuple[str, ...]:
        return next((_CHOICES[name] for name in self.names if name in _CHOICES), ())


def script(shell: str) -> str:
    """The completion script for a shell; UsageError for one that we don't know."""
    if shell not in SHELLS:
        known = ", ".join(SHELLS)
        raise UsageError(f"completion: there is no script for {shell[:40]!r}; known shells are {known}")
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _options() -> dict[str, list[_Option]]:
    commands = next(a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return {name: list(_options_of(parser)) for name, parser in commands.choices.items()}


def _options_of(parser: argparse.ArgumentParser) -> Iterator[_Option]:
    for action in parser._actions:
        if action.option_strings:
            yield _Option(tuple(action.option_strings), action.nargs != 0, action.help or "")


def _bash() -> str:
    names = {
        command: " ".join(name for one in options for name in one.names) for command, options in _options().items()
    }
    cases = "\n".join(f'    {command}) words="{of_command}" ;;' for command, of_command in names.items())
    values = "\n".join(f"    {name}) {_bash_reply(' '.join(choices))} ;;" for name, choices in _CHOICES.items())
    return f"""\
# bash completion for callsite: eval "$(callsite completion bash)"
_callsite() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  case "$before" in
{values}
    completion) {_bash_reply(" ".join(SHELLS))} ;;
  esac
  if [[ "$COMP_CWORD" -eq 1 && "$word" != -* ]]; then
    {_bash_reply(" ".join(COMMANDS))}
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="{names["search"]} --version" ;;
  esac
  [[ "$word" == -* ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _callsite callsite
"""


def _bash_reply(words: str) -> str:
    return f'COMPREPLY=($(compgen -W "{words}" -- "$word")); return'


def _zsh() -> str:
    commands = "\n".join(f"    {_quoted(f'{name}:{command.brief}')}" for name, command in COMMANDS.items())
    cases = "\n".join(
        f"    {name})\n      _arguments {_zsh_arguments(name, options)} ;;" for name, options in _options().items()
    )
    return f"""\
#compdef callsite
# zsh completion for callsite: put it as _callsite into a folder of $fpath, or eval "$(callsite completion zsh)"
_callsite() {{
  local -a commands
  commands=(
{commands}
  )
  if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
    _describe command commands
    return
  fi
  local command="$words[2]"
  (( CURRENT-- ))
  shift words
  case "$command" in
{cases}
    *) _files ;;
  esac
}}
compdef _callsite callsite
"""


def _zsh_arguments(command: str, options: list[_Option]) -> str:
    words = f"1:shell:({' '.join(SHELLS)})" if command == "completion" else "*:file:_files"
    return " ".join([*(_zsh_option(one) for one in options), _quoted(words)])


def _zsh_option(option: _Option) -> str:
    help_ = option.help.replace("\\", "").replace("[", "(").replace("]", ")").replace(":", ",")
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    value = f":value:{values}" if option.takes_value else ""
    return " ".join(_quoted(f"*{name}[{help_}]{value}") for name in option.names)


def _fish() -> str:
    lines = ["# fish completion for callsite: callsite completion fish > ~/.config/fish/completions/callsite.fish"]
    for name, command in COMMANDS.items():
        lines.append(f"complete -c callsite -n __fish_use_subcommand -a {name} -d {_quoted(command.brief)}")
    for name, options in _options().items():
        lines += [f"{_fish_after(name)} {_fish_option(one)}" for one in options]
    lines.append(f"{_fish_after('completion')} -f -a '{' '.join(SHELLS)}'")
    return "\n".join(lines) + "\n"


def _fish_after(command: str) -> str:
    return f"complete -c callsite -n '__fish_seen_subcommand_from {command}'"


def _fish_option(option: _Option) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    value = (f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r") if option.takes_value else ""
    return f"{' '.join(names)}{value} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
