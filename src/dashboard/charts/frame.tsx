import type { LineChartProps } from "./line-chart";

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

/** What is known without a gap, null being one. */
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

/** Axes and notes: four or five lines, no box. */
export function Frame({
  ticks,
  format,
  axis,
  notes = [],
  geometry,
}: LineChartProps & { readonly geometry: Geometry }) {
  const { left, right, top, bottom, x, y, width } = geometry;
  const every = Math.max(1, Math.ceil(axis.length / Math.max(2, Math.floor((right - left) / 76))));
  return (
    <g>
      {ticks.map((tick, i) => (
        <g key={tick}>
          <line class={i === 0 ? "base" : "grid"} x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {axis.map((text, i) => {
        // Hours are counted from midnight, days back from the newest.
        const from = axis[0] === "00:00" ? i : axis.length - 1 - i;
        if (from % every !== 0) return null;
        const anchor =
          axis.length < 2
            ? "middle"
            : x(i) > width - 30
              ? "end"
              : x(i) < left + 20
                ? "start"
                : "middle";
        return (
          <text key={text + i} class="tick" x={x(i)} y={bottom + 18} text-anchor={anchor}>
            {text}
          </text>
        );
      })}
      {placed(notes, geometry).map(({ note, isRight, room }) => (
        <g key={note.title} class="note">
          <line x1={x(note.at)} x2={x(note.at)} y1={top - 8} y2={bottom} />
          <path d={`M${x(note.at)} ${top - 14}l4 4-4 4-4-4z`} />
          {room > 40 && (
            <text
              x={x(note.at) + (isRight ? 8 : -8)}
              y={top - 6}
              text-anchor={isRight ? "start" : "end"}
            >
              {note.title.length * 6 > room
                ? `${note.title.slice(0, Math.max(1, Math.floor(room / 6) - 1))}…`
                : note.title}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

/** A note's text goes to the right up to the next note, or to the left where it ends the chart. */
function placed(notes: LineChartProps["notes"] & object, { x, right, left }: Geometry) {
  const sorted = [...notes].sort((a, b) => a.at - b.at);
  return sorted.map((note, i) => {
    const next = sorted[i + 1];
    const before = sorted[i - 1];
    const toRight = (next === undefined ? right : x(next.at)) - x(note.at) - 22;
    const toLeft = x(note.at) - (before === undefined ? left : x(before.at)) - 22;
    const isRight = next !== undefined || toRight > 90 || before !== undefined;
    return { note, isRight, room: isRight ? toRight : toLeft };
  });
}
