export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  /** null where there is no target. */
  readonly isMet: boolean | null;
}

type Section = readonly [heading: string, figures: readonly Figure[]];

/** What was measured, in order, under headings. */
export class Figures {
  readonly #sections = new Map<string, Figure[]>();

  /** Prints the figure at once, so that a long run shows what it does. */
  add(section: string, what: string, measured: string, target = "", isMet: boolean | null = null) {
    const figures = this.#sections.get(section) ?? [];
    figures.push({ what, measured, target, isMet });
    this.#sections.set(section, figures);
    process.stdout.write(`${section} | ${what} | ${measured} | ${target}${mark(isMet)}\n`);
  }

  /** All that was added, to be kept as JSON; `addAll` of another object brings it back. */
  get sections(): readonly Section[] {
    return [...this.#sections];
  }
  addAll(sections: readonly Section[]): void {
    for (const [section, figures] of sections) {
      for (const { what, measured, target, isMet } of figures) {
        this.add(section, what, measured, target, isMet);
      }
    }
  }

  /** Of all sections, or of one. */
  markdown(only?: string): string {
    return [...this.#sections]
      .filter(([section]) => only === undefined || section === only)
      .map(([section, figures]) => {
        const rows = figures.map(
          ({ what, measured, target, isMet }) =>
            `| ${what} | ${measured} | ${target}${mark(isMet)} |`,
        );
        return [
          `### ${section}`,
          "",
          "| what | measured | target |",
          "|---|--:|--:|",
          ...rows,
        ].join("\n");
      })
      .join("\n\n");
  }
}

const mark = (isMet: boolean | null): string => (isMet === null ? "" : isMet ? " ✓" : " ✗ missed");

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");
export const oneDecimal = (value: number): string => value.toFixed(1);
