import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { visibleText } from "../../lib/visible-text";

const shownCharsMax = 300;

interface SaidProps {
  readonly text: string;
  readonly class?: string;
  readonly id?: string;
}

/** Returns the shortened text; null for one that is short enough. */
function cutOf(whole: string): string | null {
  const points = [...whole.slice(0, 2 * shownCharsMax + 2)];
  return points.length > shownCharsMax ? `${points.slice(0, shownCharsMax).join("")}…` : null;
}

/**
 * A text that others sent, apart from our own words, in which nothing is hidden. A longer one is whole in the title,
 * and in the file of the table.
 */
export const Said = ({ text, class: name, id }: SaidProps) => {
  const whole = visibleText(text);
  const cut = cutOf(whole);
  return (
    <bdi id={id} class={name} title={cut === null ? undefined : whole}>
      {cut ?? whole}
    </bdi>
  );
};

interface OpenProps {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly children: ComponentChildren;
}

const Whole = ({ isOpen, toggle, children }: OpenProps) => (
  <button type="button" class="whole" aria-expanded={isOpen} onClick={toggle}>
    {children}
  </button>
);

/** Shows a text where a press means nothing else: it shows what is cut off. */
export function SaidWhole({ text }: Pick<SaidProps, "text">) {
  const [isOpen, setOpen] = useState(false);
  const whole = visibleText(text);
  const cut = cutOf(whole);
  if (cut === null) return <bdi>{whole}</bdi>;
  return (
    <Whole isOpen={isOpen} toggle={() => setOpen(!isOpen)}>
      <bdi>{isOpen ? whole : cut}</bdi>
    </Whole>
  );
}

/** Stands after a link or a button that says the text cut off, where a press on that means something else. */
export function SaidBelow({ text }: Pick<SaidProps, "text">) {
  const [isOpen, setOpen] = useState(false);
  const whole = visibleText(text);
  if (cutOf(whole) === null) return null;
  return (
    <Whole isOpen={isOpen} toggle={() => setOpen(!isOpen)}>
      {isOpen ? <bdi>{whole}</bdi> : "Show all of it"}
    </Whole>
  );
}
