import { type Definition, definitions } from "../lib/definitions";

interface DefinedProps {
  readonly by: Definition;
  /** The name of the number, or of the card that has several. */
  readonly name: string;
}

/** A mark beside a number that leads to its definition. */
export const Defined = ({ by, name }: DefinedProps) => (
  <a class="defined" href={`/docs/definitions#${definitions[by]}`} title="Definition">
    <span aria-hidden="true">?</span>
    <span class="visually-hidden">{`Definition: ${name}`}</span>
  </a>
);
