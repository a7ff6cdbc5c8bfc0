import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../../src/lib/clock";
import { removeFolder, temporaryFolder } from "../../support/server/server";
import { pathFromRoot } from "../../support/suite/sources";
import { type Figures, oneDecimal } from "../figures";
import { type Asked, questions, type Times, type Window, windows } from "../questions";
import type { World } from "../world";
import { analysisComparisons } from "./analysis-comparisons";
import { eventComparisons } from "./event-comparisons";
import { journeyComparisons } from "./journey-comparisons";
import type { Asking, Command } from "./process";
import { sessionComparisons } from "./session-comparisons";
import type { Comparison, Rows, Span } from "./tables";

/** What our side found: times and answers by question and window. */
export interface OurAnswers {
  readonly asked: Asked;
  readonly times: ReadonlyMap<string, Times>;
  readonly answers: ReadonlyMap<string, string>;
}
export const keyOf = (name: string, days: Window): string => `${name}, ${days} days`;

const version = "1.5.6-r.1";
const section = "The same reads on DuckDB: its time as a multiple of ours, first / warm";
const aims = { first: 1, warm: 4 };
const comparisons: Readonly<Record<string, Comparison>> = {
  ...eventComparisons,
  ...sessionComparisons,
  ...journeyComparisons,
  ...analysisComparisons,
};

/**
 * Loads the same events into DuckDB and asks it the same questions: its first run in a fresh process against our first
 * touch, its third against our warm time. Answers that are not equal are named.
 */
export async function measureDuckDb(world: World, ours: OurAnswers, figures: Figures) {
  const duckDb = await loadDuckDb(world, section, figures);
  try {
    await compareAll(duckDb, ours, figures);
  } finally {
    duckDb.close();
  }
}

/** The events in a file of DuckDB's. */
export interface DuckDb {
  /**
   * Asks in a process of its own, three times; null when DuckDB does not have the tables. `answer` is ours, which says
   * what dates it is about.
   */
  ask(name: string, days: Window, asked: Asked, answer: string): Promise<DuckDbAnswer | null>;
}
interface DuckDbAnswer {
  /** Of the first, second and third run. */
  readonly ms: readonly number[];
  readonly isEqual: boolean;
}

async function loadDuckDb(
  world: World,
  intoSection: string,
  figures: Figures,
): Promise<DuckDb & { close(): void }> {
  const folder = temporaryFolder();
  const close = (): void => removeFolder(folder);
  try {
    const { seconds, bytesPerEvent } = await loadInto(folder, world);
    figures.add(intoSection, "DuckDB: loading the file, s", oneDecimal(seconds));
    figures.add(intoSection, "DuckDB: bytes per event on disk", oneDecimal(bytesPerEvent));
    return { close, ...(await duckDbIn(folder, world)) };
  } catch (error) {
    close();
    throw error;
  }
}

const fileIn = (folder: string): string => join(folder, "events.duckdb");

/** Loads the events into a file in the folder, which stays there. */
export async function loadInto(
  folder: string,
  { events, endMs, small }: World,
): Promise<{ readonly seconds: number; readonly bytesPerEvent: number }> {
  const place = { moduleFolder: await installed(), file: fileIn(folder) };
  const startedAt = performance.now();
  await run({ kind: "load", ...place, events, endMs, small: small.length });
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, bytesPerEvent: statSync(place.file).size / (events + 1_000 * small.length) };
}

/** What `loadInto` has loaded. */
export async function duckDbIn(folder: string, { endMs }: World): Promise<DuckDb> {
  const place = { moduleFolder: await installed(), file: fileIn(folder) };
  return {
    ask: async (name, days, asked, answerText) => {
      const comparison = comparisons[name];
      if (comparison === undefined) return null;
      const answer = JSON.parse(answerText);
      const span = spanOf(answer, days, endMs);
      const statements = comparison.sql(span, asked);
      const asking = await run({ kind: "ask", ...place, statements });
      if (asking === null) throw new Error("DuckDB answered nothing.");
      const theirs = comparison.theirs?.(asking.answers) ?? asking.answers;
      const isEqual = sameRows(theirs, comparison.ours(answer as never, span));
      return { ms: asking.ms, isEqual };
    },
  };
}

async function compareAll(duckDb: DuckDb, ours: OurAnswers, figures: Figures): Promise<void> {
  const ratios: { readonly name: string; readonly first: number; readonly warm: number }[] = [];
  const unequal: string[] = [];
  for (const { name } of questions) {
    for (const days of windows) {
      const key = keyOf(name, days);
      const found = await duckDb.ask(name, days, ours.asked, ours.answers.get(key) ?? "null");
      if (found === null) continue;
      const { isEqual, ms } = found;
      if (!isEqual) unequal.push(key);
      const [first, , warm] = ours.times.get(key) ?? [Number.NaN, 0, Number.NaN];
      const ratio = { name: key, first: ms[0] / first, warm: ms[2] / warm };
      ratios.push(ratio);
      const shown = [ms[0], ms[2]].map((one) => one.toFixed(0)).join(" / ");
      const times = `${ratio.first.toFixed(2)} / ${ratio.warm.toFixed(2)}`;
      figures.add(
        section,
        `${key} (DuckDB ${shown} ms)${isEqual ? "" : ": ANSWERS DIFFER"}`,
        times,
      );
    }
  }
  addSums(ratios, unequal, figures);
}

function addSums(
  ratios: readonly Readonly<Record<"first" | "warm", number> & { name: string }>[],
  unequal: readonly string[],
  figures: Figures,
): void {
  for (const kind of ["first", "warm"] as const) {
    const finite = ratios.filter((one) => Number.isFinite(one[kind]));
    const mean = Math.exp(
      finite.reduce((sum, one) => sum + Math.log(one[kind]), 0) / finite.length,
    );
    figures.add(
      section,
      `geometric mean of ${finite.length}, ${kind}`,
      mean.toFixed(2),
      String(aims[kind]),
      mean >= aims[kind],
    );
    for (const slower of finite.filter((one) => one[kind] < 1)) {
      figures.add(section, `… slower than DuckDB: ${slower.name}`, slower[kind].toFixed(2));
    }
  }
  figures.add(section, "answers that differ", String(unequal.length), "0", unequal.length === 0);
}

/** The dates that our answer names, else the window's. */
function spanOf(answer: unknown, days: Window, endMs: number): Span {
  const named = answer as { period?: Dates; current_period?: Dates } | null;
  const period = named?.current_period ?? named?.period;
  if (typeof period === "object" && period.from !== undefined) {
    return { fromMs: Date.parse(period.from), toMs: Date.parse(period.to) + dayMs };
  }
  const toMs = Math.ceil((endMs + 1) / dayMs) * dayMs;
  return { fromMs: toMs - days * dayMs, toMs };
}
interface Dates {
  readonly from: string;
  readonly to: string;
}

const sameRows = (theirs: readonly Rows[], ours: readonly Rows[]): boolean =>
  JSON.stringify(theirs) === JSON.stringify(ours);

/** DuckDB is no package of this project: it is installed once, beside other temporary files. */
async function installed(): Promise<string> {
  const folder = join(tmpdir(), `sightline-duckdb-${version}`);
  if (existsSync(join(folder, "node_modules", "@duckdb", "node-api"))) return folder;
  await Bun.write(join(folder, "package.json"), `{"private":true}`);
  const child = Bun.spawn([process.execPath, "add", "--exact", `@duckdb/node-api@${version}`], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  if ((await child.exited) !== 0) {
    throw new Error(`DuckDB could not be installed: ${await new Response(child.stderr).text()}`);
  }
  return folder;
}

async function run(command: Command): Promise<Asking | null> {
  const child = Bun.spawn([process.execPath, pathFromRoot("test/load/duckdb/process.ts")], {
    stdin: Buffer.from(JSON.stringify(command)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("DuckDB's process failed.");
  return JSON.parse(text);
}
