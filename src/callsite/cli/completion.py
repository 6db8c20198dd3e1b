"""How does a shell complete our command lines? Scripts made from the table, so that they know every option."""

from __future__ import annotations

from callsite.cli.arguments import UsageError
from callsite.cli.options import COLOURS, COMMANDS, SHELLS, Option
from callsite.types import CHUNK_TYPES

_CHOICES = {"--type": CHUNK_TYPES, "--color": COLOURS}


def script(shell: str) -> str:
    """The completion script for a shell; UsageError for one that we don't know."""
    if shell not in SHELLS:
        known = ", ".join(SHELLS)
        raise UsageError(f"completion: there is no script for {shell[:40]!r}; known shells are {known}")
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _choices(option: Option) -> tuple[str, ...]:
    return next((_CHOICES[name] for name in option.names if name in _CHOICES), ())


def _bash() -> str:
    names = {
        name: " ".join(label for option in command.options for label in option.names)
        for name, command in COMMANDS.items()
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
        f"    {name})\n      _arguments {_zsh_arguments(name, command.options)} ;;"
        for name, command in COMMANDS.items()
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


def _zsh_arguments(command: str, options: tuple[Option, ...]) -> str:
    words = f"1:shell:({' '.join(SHELLS)})" if command == "completion" else "*:file:_files"
    return " ".join([*(_zsh_option(one) for one in options), _quoted(words)])


def _zsh_option(option: Option) -> str:
    help_ = option.help.replace("\\", "").replace("[", "(").replace("]", ")").replace(":", ",")
    choices = _choices(option)
    values = f"({' '.join(choices)})" if choices else "_files"
    value = f":value:{values}" if option.metavar else ""
    return " ".join(_quoted(f"*{name}[{help_}]{value}") for name in option.names)


def _fish() -> str:
    lines = ["# fish completion for callsite: callsite completion fish > ~/.config/fish/completions/callsite.fish"]
    for name, command in COMMANDS.items():
        lines.append(f"complete -c callsite -n __fish_use_subcommand -a {name} -d {_quoted(command.brief)}")
    for name, command in COMMANDS.items():
        lines += [f"{_fish_after(name)} {_fish_option(option)}" for option in command.options]
    lines.append(f"{_fish_after('completion')} -f -a '{' '.join(SHELLS)}'")
    return "\n".join(lines) + "\n"


def _fish_after(command: str) -> str:
    return f"complete -c callsite -n '__fish_seen_subcommand_from {command}'"


def _fish_option(option: Option) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    choices = _choices(option)
    value = (f" -x -a '{' '.join(choices)}'" if choices else " -r") if option.metavar else ""
    return f"{' '.join(names)}{value} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
