import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PropertiesAnswer } from "../data/answers";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { scope } from "../state/scope";
import { useGoalNames } from "../ui/goal-names";
import { Icon } from "../ui/icons";
import { type Command, commandsOf } from "./commands";
import { rankOf } from "./ranking";

export const isPaletteOpen = signal(false);

const linesMax = 9;

export function Palette() {
  return isPaletteOpen.value ? <Open /> : null;
}

function Open() {
  const [asked, setAsked] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const known = useRead<PropertiesAnswer>(
    "Events and property keys",
    queries.properties(scope.value),
  ).data;
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    isPaletteOpen.value = false;
  };
  const goals = useGoalNames();
  const matches = commandsOf(known?.events.map(({ event }) => event) ?? [], goals)
    .map((command) => ({
      command,
      rank: rankOf({ ...command, words: `${command.words ?? ""} ${command.kind}` }, asked),
    }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, linesMax)
    .map(({ command }) => command);
  const choose = (command: Command | undefined) => {
    close();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + matches.length) % Math.max(1, matches.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      choose(matches[at]);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Commands"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div>
        <label class="palette-field">
          <Icon name="search" />
          <span class="visually-hidden">Search commands</span>
          <input
            autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={`command-${at}`}
            placeholder="Search pages, cards, settings and actions…"
            value={asked}
            onKeyDown={onKeyDown}
            onInput={(event) => {
              setAsked(event.currentTarget.value);
              setAt(0);
            }}
          />
        </label>
        <Found commands={matches} at={at} setAt={setAt} choose={choose} />
      </div>
    </dialog>
  );
}

interface FoundProps {
  readonly commands: readonly Command[];
  readonly at: number;
  readonly setAt: (at: number) => void;
  readonly choose: (command: Command) => void;
}

const Found = ({ commands, at, setAt, choose }: FoundProps) => (
  <div id="palette-list" class="palette-list" role="listbox" aria-label="Commands">
    {commands.map((command, i) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes Enter
      <div
        key={command.kind + command.text}
        id={`command-${i}`}
        role="option"
        tabIndex={-1}
        aria-selected={i === at}
        onPointerMove={() => setAt(i)}
        onClick={() => choose(command)}
      >
        <Icon name={command.icon} />
        <span>{command.text}</span>
        <small>{command.kind}</small>
      </div>
    ))}
    {commands.length === 0 && <div class="none">No results</div>}
  </div>
);
