import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { readableText } from "../../lib/readable-text";
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

/** The form that people read: letters of encoded addresses are decoded, and nothing is hidden. */
export const shownText = (text: string): string => visibleText(readableText(text));

/**
 * A text that others sent, apart from our own words. Where it is shortened or decoded, the title has all of it as it is
 * stored, and so has the file of the table.
 */
export const Said = ({ text, class: name, id }: SaidProps) => {
  const stored = visibleText(text);
  const whole = shownText(text);
  const shown = cutOf(whole) ?? whole;
  return (
    <bdi id={id} class={name} title={shown === stored ? undefined : stored}>
      {shown}
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
  const whole = shownText(text);
  const cut = cutOf(whole);
  if (cut === null) return <Said text={text} />;
  return (
    <Whole isOpen={isOpen} toggle={() => setOpen(!isOpen)}>
      <bdi>{isOpen ? whole : cut}</bdi>
    </Whole>
  );
}

/** Stands after a link or a button that says the text cut off, where a press on that means something else. */
export function SaidBelow({ text }: Pick<SaidProps, "text">) {
  const [isOpen, setOpen] = useState(false);
  const whole = shownText(text);
  if (cutOf(whole) === null) return null;
  return (
    <Whole isOpen={isOpen} toggle={() => setOpen(!isOpen)}>
      {isOpen ? <bdi>{whole}</bdi> : "Show full text"}
    </Whole>
  );
}
