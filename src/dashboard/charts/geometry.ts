export interface Series {
  readonly name: string;
  /** `main` is filled, `before` is grey and behind, `imported` is pale, `s1`… are lines of their own. */
  readonly kind: string;
  readonly values: readonly (number | null)[];
  /** Says what the value at a place belongs to: the date of the window before. */
  readonly labels?: readonly string[];
}
export interface Note {
  readonly at: number;
  readonly title: string;
  readonly text?: string | undefined;
}
export interface LineChartProps {
  readonly title: string;
  readonly labels: readonly string[];
  readonly axis: readonly string[];
  readonly series: readonly Series[];
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
  readonly formatExact?: (value: number) => string;
  /** The last bucket is not over: its segment is dashed and its point hollow. */
  readonly isOpen?: boolean;
  readonly notes?: readonly Note[];
  readonly height?: number;
  readonly chooseRange?: (first: number, last: number) => void;
  /** Chooses a place: by a double click, or by Enter at the place that the arrow keys have reached. */
  readonly choosePlace?: (at: number) => void;
}

/** The positions of things in a chart, in pixels. */
export interface Geometry {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  readonly x: (i: number) => number;
  readonly y: (value: number) => number;
  readonly nearest: (px: number) => number;
}

const at = (px: number): string => px.toFixed(1);

type Places = Pick<Geometry, "x" | "y">;

interface Run {
  readonly first: number;
  readonly values: readonly number[];
}

/** Returns the stretches in which every value is known; null is a gap. */
function runsOf(values: readonly (number | null)[]): Run[] {
  const runs: { first: number; values: number[] }[] = [];
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.values.length === i) last.values.push(value);
    else runs.push({ first: i, values: [value] });
  }
  return runs;
}

const through = ({ first, values }: Run, { x, y }: Places): string =>
  values.map((value, i) => `${at(x(first + i))} ${at(y(value))}`).join("L");

/** Straight from value to value: a curve would show what nobody measured. Null leaves a gap, a value alone is a dot. */
export const lineOf = (values: readonly (number | null)[], places: Places, first = 0): string =>
  runsOf(values)
    .map((run) => {
      const dot = run.values.length === 1 ? "h0" : "";
      return `M${through({ ...run, first: first + run.first }, places)}${dot}`;
    })
    .join("");

/** Returns a path of the single values between two gaps, which a line shows as dots. */
export const dotsOf = (values: readonly (number | null)[], places: Places): string =>
  runsOf(values)
    .filter((run) => run.values.length === 1)
    .map((run) => `M${through(run, places)}h0`)
    .join("");

export const areaOf = (
  values: readonly (number | null)[],
  places: Places,
  bottom: number,
): string =>
  runsOf(values)
    .filter((run) => run.values.length > 1)
    .map((run) => {
      const last = run.first + run.values.length - 1;
      const [from, to] = [at(places.x(run.first)), at(places.x(last))];
      return `M${through(run, places)}L${to} ${at(bottom)}L${from} ${at(bottom)}Z`;
    })
    .join("");

export function geometryOf(
  { ticks, labels, format, notes = [] }: LineChartProps,
  width: number,
  height: number,
): Geometry {
  const left = 14 + 6.4 * Math.max(...ticks.map((tick) => format(tick).length));
  const right = 10;
  const top = notes.length > 0 ? 26 : 12;
  const bottom = height - 26;
  const inner = Math.max(1, width - left - right);
  const max = ticks.at(-1) ?? 1;
  const count = labels.length;
  const x = (i: number) => (count < 2 ? left + inner / 2 : left + (inner * i) / (count - 1));
  return {
    left,
    right: left + inner,
    top,
    bottom,
    width,
    x,
    y: (value) => bottom - (value / max) * (bottom - top),
    nearest: (px) =>
      Math.min(count - 1, Math.max(0, Math.round(((px - left) / inner) * (count - 1)))),
  };
}
