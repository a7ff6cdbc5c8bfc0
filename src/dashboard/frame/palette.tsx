import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PropertiesAnswer } from "../data/answers";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { projects } from "../state/account";
import { choices } from "../state/period";
import { addFilter, go, linkTo, place, setPeriod } from "../state/route";
import { scope } from "../state/scope";
import { shared } from "../state/share";
import { Icon } from "../ui/icons";
import { toggleDrawer } from "./drawer";
import { isHelpOpen } from "./help";
import { pageGroups } from "./nav";
import { toggleTheme } from "./theme";

interface Command {
  readonly kind: string;
  readonly text: string;
  readonly icon: string;
  readonly run: () => void;
}

export const isPaletteOpen = signal(false);

function commandsOf(events: readonly string[]): Command[] {
  return [
    ...pageGroups()
      .flatMap(([, pages]) => pages)
      .map(([page, name]) => ({
        kind: "Go to",
        text: name,
        icon: page,
        run: () => go(linkTo(page)),
      })),
    ...choices.map(({ key, label }) => ({
      kind: "Period",
      text: label,
      icon: "calendar",
      run: () => setPeriod(key),
    })),
    ...(shared === null ? projects.value : []).map(({ name }) => ({
      kind: "Project",
      text: name,
      icon: "sites",
      run: () => go(linkTo(place.value.page, name)),
    })),
    ...events.map((event) => ({
      kind: "Filter by event",
      text: event,
      icon: "filter",
      run: () => addFilter({ field: "event", op: "eq", value: event }),
    })),
    { kind: "Show", text: "API requests of this page", icon: "code", run: toggleDrawer },
    {
      kind: "Show",
      text: "Keyboard shortcuts",
      icon: "table",
      run: () => {
        isHelpOpen.value = true;
      },
    },
    { kind: "Switch", text: "Between light and dark", icon: "theme", run: toggleTheme },
  ];
}

/** Matches letters in order with any distance; closer and earlier ones rank higher. */
function score(text: string, asked: string): number {
  const low = text.toLowerCase();
  const at = low.indexOf(asked);
  if (at >= 0) return 100 - at;
  let from = -1;
  for (const letter of asked) {
    from = low.indexOf(letter, from + 1);
    if (from < 0) return 0;
  }
  return 20 - from / 10;
}

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
  const found = commandsOf(known?.events.map(({ event }) => event) ?? [])
    .map((command) => ({
      command,
      rank: score(`${command.text} ${command.kind}`, asked.toLowerCase().trim()),
    }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => (asked === "" ? 0 : b.rank - a.rank))
    .slice(0, 9)
    .map(({ command }) => command);
  const choose = (command: Command | undefined) => {
    close();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      choose(found[at]);
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
            placeholder="Search pages, projects, periods and filters…"
            value={asked}
            onKeyDown={onKeyDown}
            onInput={(event) => {
              setAsked(event.currentTarget.value);
              setAt(0);
            }}
          />
        </label>
        <Found commands={found} at={at} setAt={setAt} choose={choose} />
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
