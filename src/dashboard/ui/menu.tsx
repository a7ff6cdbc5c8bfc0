import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface MenuProps {
  readonly label: ComponentChildren;
  readonly title: string;
  readonly id: string;
  readonly isEnd?: boolean;
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel. Escape and a click elsewhere close it; arrows move between what can be chosen. */
export function Menu({ label, title, id, isEnd = false, class: name = "", children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  /** The focused element is removed with the panel: the button that opened the panel gets the focus then. */
  const close = () => {
    if (root.current?.contains(document.activeElement) === true) {
      root.current.querySelector("button")?.focus();
    }
    setOpen(false);
  };
  // Before it is painted: the next key belongs to what is in the panel.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const first = [
      ".panel [aria-checked=true]",
      ".panel [aria-current]",
      ".panel :is(a, button, select, input)",
    ];
    first
      .map((one) => root.current?.querySelector<HTMLElement>(one))
      .find((one) => one)
      ?.focus();
    const away = (event: Event) => {
      if (event.target instanceof Node && root.current?.contains(event.target) === false) close();
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event, root.current);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: listens to the keys of what is within
    <div class={`menu ${name}`} ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        id={id}
        class="tool"
        title={title}
        aria-haspopup="true"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && <div class={isEnd ? "panel end" : "panel"}>{children(close)}</div>}
    </div>
  );
}

function move(event: KeyboardEvent, root: HTMLElement | null): void {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  const items = [...(root?.querySelectorAll<HTMLElement>(".panel a, .panel button") ?? [])];
  const { activeElement } = document;
  const at = activeElement instanceof HTMLElement ? items.indexOf(activeElement) : -1;
  const step = event.key === "ArrowDown" ? 1 : -1;
  items[(at + step + items.length) % items.length]?.focus();
  event.preventDefault();
}
