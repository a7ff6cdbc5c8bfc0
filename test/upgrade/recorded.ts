import { splitName } from "../../src/http/operation/facts";
import type { Json } from "../support/app/app";
import { askedReads, ofNow } from "../support/app/every-read";

/** A question of a client and its answer. */
export interface RecordedAnswer {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: Json;
  readonly answer: unknown;
}

/** The file in the archive of a fixture that has what its server answered. */
export interface Recorded {
  readonly version: string;
  readonly key: string;
  /** The time of the server when it answered. */
  readonly nowMs: number;
  readonly answers: readonly RecordedAnswer[];
}
export const recordedFile = "recorded-answers.json";

const lists = [
  ...["/projects", "/projects/shop", "/projects/shop/exclusions", "/members", "/webhooks"],
  ...["/alerts?project=shop", "/reports?project=shop", "/views?project=shop"],
  ...["/project-context?project=shop", "/experiments?project=shop", "/imports?project=moved"],
  ...["/people/erasures", "/replays?project=shop", "/stats?project=moved&since=7d"],
];

/** The questions whose answers a fixture records: what people have made, and the example of every read. */
export function questionsFor(experimentId: string): readonly Omit<RecordedAnswer, "answer">[] {
  const ofData = askedReads.filter(({ operation }) => !ofNow.includes(operation.name));
  const reads = ofData.map(({ operation, fields }) => {
    const { method, path: form } = splitName(operation.name);
    const path = form.replace("{id}", experimentId);
    if (method !== "GET") return { method, path, body: fields };
    const texts = Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]);
    return { method, path: `${path}?${new URLSearchParams(texts)}` };
  });
  return [...lists.map((path) => ({ method: "GET", path })), ...reads];
}

/** Counts of what was asked, and times of now: they change by being asked. */
const changing = new Set(["total_reads", "read_count", "last_used_at", "compared_until"]);

/** An answer without what changes by being asked. */
export function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !changing.has(name));
  return Object.fromEntries(fields.map(([name, one]) => [name, lasting(one)]));
}
