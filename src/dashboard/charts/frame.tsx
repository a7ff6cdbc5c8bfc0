import type { Geometry, LineChartProps } from "./geometry";

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
