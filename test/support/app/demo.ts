import { demoDay } from "../../../src/domain/demo/day";
import { isoDate } from "../../../src/domain/event";
import { demoDates } from "../../../src/domain/limits";
import { Demo } from "../../../src/services/demo";
import type { Call, TestApp } from "./app";

export const demoName = "agentanalytics-demo";

export interface DemoSession {
  readonly agent_session: {
    readonly id: string;
    readonly access_token: string;
    readonly access_expires_at: number;
    readonly scopes: readonly string[];
  };
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

/** Gives an app a demo of so few dates, before its first session: to seed all of them takes most of a second. */
export function shortenDemo({ deps }: TestApp, dates = 3): void {
  Object.assign(deps, { demo: new Demo({ ...deps, dates }) });
}

let addresses = 0;

/** Begins a demo from an address of its own, so that no limit is met. */
export async function beginDemo(app: TestApp): Promise<DemoSession> {
  const answer = await app.send("POST", "/demo/session", {
    from: `198.51.100.${addresses++ % 250}`,
  });
  if (!answer.ok) throw new Error(`POST /demo/session: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as DemoSession;
}

export const asDemo = ({ agent_session }: DemoSession): Call => ({
  headers: { authorization: `Bearer ${agent_session.access_token}` },
});

export async function readDemo<T>(
  app: TestApp,
  session: DemoSession,
  path: string,
  body?: unknown,
): Promise<T> {
  const method = body === undefined ? "GET" : "POST";
  const answer = await app.send(method, path, { ...asDemo(session), body });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

type EventsOfDate = readonly [date: string, events: number];

/** Over all stored data. */
export async function demoByDate(app: TestApp, session: DemoSession): Promise<EventsOfDate[]> {
  const { timeSeries } = await readDemo<{
    timeSeries: readonly { readonly bucket: string; readonly total_events: number }[];
  }>(app, session, `/stats?project=${demoName}&since=3000d`);
  return timeSeries.map(({ bucket, total_events }) => [bucket, total_events]);
}

const eventsOfDay = new Map<number, number>();
/** A date is made once for all that compare with it. */
function eventsOf(day: number): number {
  const known = eventsOfDay.get(day) ?? demoDay(day).events.length;
  eventsOfDay.set(day, known);
  return known;
}

/** What it must be when the last date is this day. */
export const seedUpTo = (last: number, dates = demoDates): EventsOfDate[] =>
  Array.from({ length: dates }, (_, index) => last - dates + 1 + index).map((day) => [
    isoDate(day),
    eventsOf(day),
  ]);
