import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { downloadTable } from "../lib/table-csv";
import { scope } from "../state/scope";
import { Icon } from "./icons";

interface ScrollProps {
  readonly label: string;
  readonly class?: string;
  /** Name of the file in which the table within can be taken along. */
  readonly csv?: string;
  readonly children: ComponentChildren;
}

/** A part that scrolls by itself. It takes the focus, so that it can be scrolled without a mouse. */
export function Scroll({ label, class: name = "", csv, children }: ScrollProps) {
  const root = useRef<HTMLElement>(null);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll only what has the focus */}
      <section class={`scroll ${name}`} tabIndex={0} aria-label={label} ref={root}>
        {children}
      </section>
      {csv !== undefined && (
        <CsvButton name={csv} save={(name) => downloadTable(name, root.current)} />
      )}
    </>
  );
}

interface CsvButtonProps {
  readonly name: string;
  readonly save: (name: string) => void;
}

/** Has the project and the dates, so that a folder can have the files of several projects and periods. */
function fileOf(name: string): string {
  const { project, period } = scope.value;
  return `${project}-${name}-${period.from}-${period.to}`;
}

/** The table as a file: whole numbers, and the values as they are shown else. */
export const CsvButton = ({ name, save }: CsvButtonProps) => (
  <p class="take-along">
    <button
      type="button"
      class="plain"
      title={`Save as ${name}.csv`}
      onClick={() => save(fileOf(name))}
    >
      <Icon name="download" />
      CSV
    </button>
  </p>
);
