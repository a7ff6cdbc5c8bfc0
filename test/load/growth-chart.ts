/** What is measured at several numbers of stored events. */
export const measures = {
  ingestionUs: "an event taken in, µs of processor time",
  statsMs: "/stats by day, 90 days, again, ms of processor time",
  funnelMs: "/funnel by user, 90 days, again, ms of processor time",
  startMs: "a start until the first answer, ms of processor time",
  restMb: "memory at rest after a start, MB",
  readMb: "memory after these reads, MB",
} as const;
export type Measure = keyof typeof measures;
const names = Object.keys(measures) as Measure[];

export interface GrowthRow {
  readonly events: number;
  /** When it was measured, with which executable, and how busy the machine was; null where nobody noted it. */
  readonly day: string;
  readonly commit: string;
  readonly load: string | null;
  readonly values: Readonly<Record<Measure, number>>;
}

/** Returns the rows in order of events; the new row replaces one of the same number. */
export const withRow = (rows: readonly GrowthRow[], row: GrowthRow): GrowthRow[] =>
  [...rows.filter(({ events }) => events !== row.events), row].sort((a, b) => a.events - b.events);

/** Returns the ratios of all values to that of the fewest events. */
export const timesTheFirst = (rows: readonly GrowthRow[], measure: Measure): number[] =>
  rows.map(({ values }) => values[measure] / rows[0].values[measure]);

export function growthTable(rows: readonly GrowthRow[]): string {
  const heads = rows.map(({ events }) => events.toLocaleString("en-US"));
  const lines = names.map((name) => {
    const values = rows.map(({ values }) => values[name].toFixed(values[name] < 10 ? 1 : 0));
    const times = timesTheFirst(rows, name).at(-1) ?? Number.NaN;
    return `| ${[measures[name], ...values, times.toFixed(2)].join(" | ")} |`;
  });
  const runs = rows.map(({ day, commit, load }) => [day, commit, load ?? "–"]);
  return [
    `| ${["events stored", ...heads, "the last ÷ the first"].join(" | ")} |`,
    `|---|${"--:|".repeat(rows.length + 1)}`,
    ...lines,
    ...["measured on", "at commit", "at a load of"].map(
      (what, index) => `| ${[what, ...runs.map((run) => run[index]), ""].join(" | ")} |`,
    ),
  ].join("\n");
}

const heading = "Cost against the number of events stored, as a multiple of the first";
const width = 760;
const height = 420;
const plot = { left: 60, right: 400, top: 30, bottom: 370 };
const colors = ["#c2410c", "#1d4ed8", "#7c3aed", "#15803d", "#475569", "#a16207"];
/** Labels of lines that end close together stand below each other. */
const labelGap = 16;

/** Returns the powers of ten below and above all of the values; they differ by at least one. */
export function powersAround(values: readonly number[]): readonly [low: number, high: number] {
  const logs = values.map(Math.log10);
  const low = Math.floor(Math.min(...logs));
  return [low, Math.max(low + 1, Math.ceil(Math.max(...logs)))];
}

/** Returns the heights of labels that want these heights: in the same order, none nearer to another than the gap. */
export function spread(wanted: readonly number[], gap: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  let least = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    placed[index] = Math.max(wanted[index], least);
    least = placed[index] + gap;
  }
  return placed;
}

/** Cost against size, both by powers of ten: a level line does not grow, a diagonal grows as events do. */
export function growthChart(rows: readonly GrowthRow[]): string {
  const sizes = rows.map(({ events }) => events);
  const [sizeLow, sizeHigh] = powersAround(sizes);
  const all = names.flatMap((name) => timesTheFirst(rows, name));
  const [timesLow, timesHigh] = powersAround(all);
  const { left, right, top, bottom } = plot;
  const x = (events: number): number =>
    left + ((Math.log10(events) - sizeLow) / (sizeHigh - sizeLow)) * (right - left);
  const y = (times: number): number =>
    bottom - ((Math.log10(times) - timesLow) / (timesHigh - timesLow)) * (bottom - top);
  const lines = names.map((name, index) => {
    const points = timesTheFirst(rows, name).map(
      (times, at) => `${x(sizes[at]).toFixed(1)},${y(times).toFixed(1)}`,
    );
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${colors[index]}" stroke-width="2"/>`;
  });
  const heights = spread(
    names.map((name) => y(timesTheFirst(rows, name).at(-1) ?? 1)),
    labelGap,
  );
  const labels = names.map((name, index) => {
    const at = `x="${x(sizes[sizes.length - 1]) + 8}" y="${(heights[index] + 4).toFixed(1)}"`;
    return `<text ${at} fill="${colors[index]}">${measures[name]}</text>`;
  });
  const grid = [
    ...range(sizeLow, sizeHigh).map((power) => {
      const at = x(10 ** power);
      const text = (10 ** power).toLocaleString("en-US");
      return (
        `<path d="M${at} ${top}V${bottom}" stroke="#d4d4d8"/>` +
        `<text x="${at}" y="${bottom + 20}" text-anchor="middle">${text}</text>`
      );
    }),
    ...range(timesLow, timesHigh).map((power) => {
      const at = y(10 ** power);
      return (
        `<path d="M${left} ${at}H${right}" stroke="#d4d4d8"/>` +
        `<text x="${left - 8}" y="${at + 4}" text-anchor="end">× ${10 ** power}</text>`
      );
    }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${heading}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${left}" y="16">${heading}</text>`,
    ...grid,
    ...lines,
    ...labels,
    "</svg>",
    "",
  ].join("\n");
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
