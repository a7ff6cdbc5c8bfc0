import { secondMs } from "../../lib/clock";
import type { RecordedEvent } from "../replay/recorded";
import { type DemoEvent, demoDay } from "./day";
import { Draw } from "./draw";
import { DemoRecorder } from "./recorder";
import { parts } from "./screen";

export const demoRecordingsPerDate = 3;

/** A recording of a session of the demo. */
export interface DemoRecording {
  readonly sessionId: string;
  readonly startedAtMs: number;
  readonly events: readonly RecordedEvent[];
}

type Session = readonly DemoEvent[];

/** A pause on a page, after which a visitor scrolls again. */
const pauseMs = [3 * secondMs, 14 * secondMs] as const;
/** A recording continues for this long after the last event of its session. */
const endMs = 6 * secondMs;

/** Returns the same recordings at each call: an abandoned sign-up, an error and an order, if the date has them. */
export function demoRecordings(day: number): readonly DemoRecording[] {
  const sessions = [...Map.groupBy(demoDay(day).events, ({ sessionId }) => sessionId).values()];
  sessions.sort((a, b) => b.length - a.length);
  const chosen = new Set<Session>();
  for (const isWanted of [
    isLost,
    hasFailed,
    hasBought,
    hasFailedElsewhere,
    () => true,
    () => true,
  ]) {
    const next = sessions.find((session) => !chosen.has(session) && isWanted(session));
    if (next !== undefined && chosen.size < demoRecordingsPerDate) chosen.add(next);
  }
  return [...chosen].map((session, at) => recordingOf(session, new Draw(day, at, 6)));
}

const has = (session: Session, name: string): boolean => session.some((one) => one.name === name);
const isLost = (session: Session): boolean =>
  has(session, "signup_started") && !has(session, "signup");
const hasFailed = (session: Session): boolean =>
  session.some(({ name, properties }) => name === "$error" && properties.path === "/checkout");
const hasBought = (session: Session): boolean => has(session, "purchase");
const hasFailedElsewhere = (session: Session): boolean => has(session, "$error");

function recordingOf(session: Session, draw: Draw): DemoRecording {
  const [first] = session;
  const recorder = new DemoRecorder(draw, first?.properties.device === "mobile");
  session.forEach((event, at) => {
    show(recorder, event);
    const next = session[at + 1];
    const untilMs = next?.timeMs ?? event.timeMs + endMs;
    const [least, most] = pauseMs;
    const stopMs = untilMs - 2 * secondMs;
    for (let ms = event.timeMs + least; ms < stopMs; ms += draw.between(least, most)) {
      recorder.read(ms);
    }
    if (next === undefined) giveUp(recorder, session, event);
    else lead(recorder, next);
  });
  const events = recorder.events.toSorted((a, b) => a.timestamp - b.timestamp);
  return { sessionId: first?.sessionId ?? "", startedAtMs: first?.timeMs ?? 0, events };
}

function show(recorder: DemoRecorder, { name, timeMs, properties }: DemoEvent): void {
  const { path, title, url } = properties;
  if (name === "page_view") recorder.open(String(path), String(title), String(url), timeMs);
  // The first letters send the event.
  if (name === "signup_started") recorder.type(parts.email, timeMs, 12);
}

/** The visitor acts shortly before the event that the action causes. */
function lead(recorder: DemoRecorder, { name, timeMs, properties }: DemoEvent): void {
  const atMs = timeMs - 0.3 * secondMs;
  const path = String(properties.path);
  if (name === "signup_started") recorder.click(parts.email, atMs);
  else if (name === "signup") recorder.click(parts.create, atMs);
  else if (name === "outgoing_link" || name === "$download") recorder.click(parts.link, atMs);
  else if (name === "$error" || path === "/thanks") recorder.click(parts.pay, atMs);
  else if (name === "page_view") recorder.click(path, atMs);
}

/** The end of a session in which a button did not respond: the visitor clicks it again and again. */
function giveUp(recorder: DemoRecorder, session: Session, { timeMs }: DemoEvent): void {
  const atMs = timeMs + 2.5 * secondMs;
  if (isLost(session)) recorder.click(parts.create, atMs, 4);
  if (hasFailed(session)) recorder.click(parts.pay, atMs);
  recorder.read(timeMs + endMs);
}
