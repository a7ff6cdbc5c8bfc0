import { visibleText } from "../../lib/visible-text";

/** What is longer is whole in the title, and in the file of the table. */
const shownCharsMax = 300;

interface SaidProps {
  readonly text: string;
  readonly class?: string;
  readonly id?: string;
}

/** What others sent, apart from our own words: as text in which nothing is hidden. */
export const Said = ({ text, class: name, id }: SaidProps) => {
  const whole = visibleText(text);
  const points = [...whole.slice(0, 2 * shownCharsMax + 2)];
  const isLong = points.length > shownCharsMax;
  return (
    <bdi id={id} class={name} title={isLong ? whole : undefined}>
      {isLong ? `${points.slice(0, shownCharsMax).join("")}…` : whole}
    </bdi>
  );
};
