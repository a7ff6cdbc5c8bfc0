import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Definition } from "../lib/definitions";
import { Defined } from "./defined";

interface CardProps {
  readonly title: string;
  /** The definition of its numbers. */
  readonly about?: Definition;
  readonly tabs?: ComponentChildren;
  readonly tools?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly wide?: boolean;
  /** The heading has this id, so that a page can put the focus there. */
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A titled part of a page; readers of headings find it. */
export function Card(props: CardProps) {
  const { title, about, tabs, tools, note, wide = false, id: own, children } = props;
  const made = useId();
  const id = own ?? made;
  return (
    <section class={wide ? "card wide" : "card"} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id} tabIndex={own === undefined ? undefined : -1}>
          {title}
        </h2>
        {about !== undefined && <Defined by={about} name={title} />}
        {tabs}
        <span class="card-tools">{tools}</span>
      </header>
      {children}
      {note !== undefined && <p class="card-note">{note}</p>}
    </section>
  );
}

interface TabsProps {
  readonly label: string;
  readonly options: readonly (readonly [key: string, text: string])[];
  readonly value: string;
  readonly choose: (key: string) => void;
}

/** A choice of one among few, which has the keys of radio buttons: arrows move, Tab leaves. */
export function Tabs({ label, options, value, choose }: TabsProps) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = options.findIndex(([key]) => key === value);
    const next = options[(at + step + options.length) % options.length];
    if (next === undefined) return;
    choose(next[0]);
    const group = event.currentTarget;
    if (!(group instanceof HTMLElement)) return;
    requestAnimationFrame(() => group.querySelector<HTMLElement>("[aria-checked=true]")?.focus());
  };
  return (
    <span class="tabs" role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map(([key, text]) => (
        // biome-ignore lint/a11y/useSemanticElements: one of several buttons is pressed
        <button
          key={key}
          type="button"
          role="radio"
          aria-checked={key === value}
          tabIndex={key === value ? 0 : -1}
          onClick={() => choose(key)}
        >
          {text}
        </button>
      ))}
    </span>
  );
}
