import { byId } from "./dom";

interface Point {
  readonly atMs: number;
  readonly value: number;
}

const shownMs = 5 * 60_000;
/** Without a value for so long, the line is interrupted. */
const gapMs = 15_000;
/** As the document's viewBox says; the picture is stretched over the room there is. */
const width = 600;
const height = 120;
const headroom = 10;

/** Events per minute as a line that moves to the left. */
export class LiveChart {
  #points: Point[] = [];

  clear(): void {
    this.#points = [];
  }
  add(point: Point): void {
    const { atMs } = point;
    this.#points = [...this.#points.filter((one) => one.atMs > atMs - shownMs), point];
  }

  draw(): void {
    const last = this.#points.at(-1);
    if (last === undefined) return;
    const most = Math.max(...this.#points.map(({ value }) => value));
    const place = ({ atMs, value }: Point): string => {
      const x = width - ((last.atMs - atMs) / shownMs) * width;
      const y = height - (value / Math.max(1, most)) * (height - headroom);
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    };
    const runs = runsOf(this.#points).map((run) => run.map(place));
    const areas = runs.map((run) => `M${[base(run[0]), ...run, base(run.at(-1))].join("L")}Z`);
    byId("chart-line").setAttribute("d", runs.map((run) => `M${run.join("L")}`).join(""));
    byId("chart-area").setAttribute("d", areas.join(""));
    byId("chart-text").textContent =
      `Now ${last.value.toLocaleString()}; at most ${most.toLocaleString()} in the last 5 minutes that this page saw.`;
  }
}

/** Below a point of the line. */
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
