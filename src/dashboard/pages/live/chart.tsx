import { lineThrough } from "./line";
import { chartMs, type Point } from "./messages";

/** The line is interrupted where it has no value for this long. */
const gapMs = 15_000;
const width = 600;
const height = 120;
const headroom = 10;

/** Events per minute as a line that moves to the left. */
export function LiveChart({ points }: { readonly points: readonly Point[] }) {
  const last = points.at(-1);
  const peak = Math.max(0, ...points.map(({ value }) => value));
  const most = Math.max(1, peak);
  const place = ({ atMs, value }: Point): string => {
    const x = width - (((last?.atMs ?? 0) - atMs) / chartMs) * width;
    return `${x.toFixed(1)} ${(height - (value / most) * (height - headroom)).toFixed(1)}`;
  };
  const runs = runsOf(points).map((run) => run.map(place));
  const line = lineThrough(runs);
  const area = runs
    .map((run) => `M${[base(run[0]), ...run, base(run.at(-1))].join("L")}Z`)
    .join("");
  return (
    <figure class="live-chart">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-describedby="chart-text"
      >
        <title>Events per minute</title>
        <path id="chart-area" class="area" d={area} />
        <path id="chart-line" class="line" d={line} />
      </svg>
      <p class="axis" aria-hidden="true">
        <span>5 minutes ago</span>
        <span>now</span>
      </p>
      <figcaption id="chart-text" class="fine">
        {last !== undefined &&
          `Now ${last.value.toLocaleString()}; at most ${peak.toLocaleString()} ` +
            "in the last 5 minutes."}
      </figcaption>
    </figure>
  );
}

/** Returns the place below a point of the line. */
const base = (place = "0 0"): string => `${place.split(" ")[0]} ${height}`;

function runsOf(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point.atMs - before > gapMs) runs.push([]);
    runs.at(-1)?.push(point);
    before = point.atMs;
  }
  return runs;
}
