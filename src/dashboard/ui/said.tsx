import { useState } from "preact/hooks";
import { visibleText } from "../../lib/visible-text";

const shownCharsMax = 300;

interface SaidProps {
  readonly text: string;
  readonly class?: string;
  readonly id?: string;
}

/** Null of what is short enough. */
function cutOf(whole: string): string | null {
  const points = [...whole.slice(0, 2 * shownCharsMax + 2)];
  return points.length > shownCharsMax ? `${points.slice(0, shownCharsMax).join("")}…` : null;
}

/**
 * What others sent, apart from our own words: as text in which nothing is hidden. What is longer is whole in the title,
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

/** The same where a press means nothing else: it shows what is cut off. */
export function SaidWhole({ text }: Pick<SaidProps, "text">) {
  const [isOpen, setOpen] = useState(false);
  const whole = visibleText(text);
  const cut = cutOf(whole);
  if (cut === null) return <bdi>{whole}</bdi>;
  return (
    <button type="button" class="whole" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      <bdi>{isOpen ? whole : cut}</bdi>
    </button>
  );
}
