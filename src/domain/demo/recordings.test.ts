import { describe, expect, test } from "bun:test";
import { cleanEvent } from "../../replay/cleaning/clean";
import { dayOf } from "../event";
import { recordedEventsMax, replayMsMax } from "../replay/limits";
import { Timeline } from "../replay/timeline";
import { demoDay } from "./day";
import { demoRecordings, demoRecordingsPerDate } from "./recordings";

const dates = 14;

/** Two ranges of dates, so that no rule holds by luck. */
describe.each([20_450, 20_990])("the recordings of two weeks from day %p on", (first) => {
  const days = Array.from({ length: dates }, (_, at) => first + at);
  const recordings = days.flatMap((day) => demoRecordings(day));

  test("are the same number on each date, and each has its own session that begins on that date", () => {
    expect(recordings.length).toBe(dates * demoRecordingsPerDate);
    expect(new Set(recordings.map(({ sessionId }) => sessionId)).size).toBe(recordings.length);
    for (const [at, one] of recordings.entries()) {
      expect(dayOf(one.startedAtMs)).toBe(first + Math.floor(at / demoRecordingsPerDate));
    }
  });

  test("are valid input of a recorder: in order, within its limits, and the server removes nothing", () => {
    for (const { events, startedAtMs } of recordings) {
      expect(events.length).toBeLessThanOrEqual(recordedEventsMax);
      for (const event of events) expect(cleanEvent(event)).toEqual({ ...event });
      const times = events.map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect((times.at(-1) ?? 0) - startedAtMs).toBeLessThan(replayMsMax);
    }
  });

  test("show the pages of their sessions in order, on phones and on desktops", () => {
    const widths = new Set<unknown>();
    for (const { sessionId, events } of recordings) {
      const session = demoDay(dayOf(events[0]?.timestamp ?? 0)).events.filter(
        (event) => event.sessionId === sessionId,
      );
      const seen = session.filter(({ name }) => name === "page_view");
      const shown = events.filter(({ type }) => type === 4);
      expect(shown.map(({ data }) => data.href)).toEqual(seen.map((view) => view.properties.url));
      widths.add(shown[0]?.data.width);
    }
    expect(widths).toEqual(new Set([390, 1440]));
  });

  test("have rage clicks, dead clicks, clicks that open a page and masked typing", () => {
    const counts = { rage_clicks: 0, dead_clicks: 0 };
    const kinds = new Set<string>();
    for (const { events } of recordings) {
      const timeline = new Timeline();
      for (const event of events) timeline.add(event);
      const told = timeline.end();
      counts.rage_clicks += told.counts.rage_clicks;
      counts.dead_clicks += told.counts.dead_clicks;
      for (const { kind } of told.entries) kinds.add(kind);
    }
    expect(counts.rage_clicks).toBeGreaterThanOrEqual(dates / 2);
    expect(counts.dead_clicks).toBeGreaterThan(0);
    for (const kind of ["page", "click", "scroll", "input", "rage_click"]) {
      expect(kinds).toContain(kind);
    }
  });
});

test("a date always has the same recordings", () => {
  expect(demoRecordings(20_455)).toEqual(demoRecordings(20_455));
});
