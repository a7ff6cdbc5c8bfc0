import { expect, test } from "bun:test";
import { noteOf } from "../src/dashboard/pages/sites/note";

const named = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `p${from + at}`, name: `site ${from + at}` }));

/** An answer of an account with these projects, of which some have events and some of these are listed. */
function answer(total: number, active: number, listed: number) {
  const change = { current: active, previous: 0, change: active, change_pct: null };
  return {
    period: { from: "2026-01-08", to: "2026-01-14" },
    summary: { total_projects: total, active_projects: active, total_events: change },
    time_series: [],
    projects: named(0, listed).map((one) => ({ ...one, events: 1, share_pct: 1 })),
    remaining_projects: active - listed,
  };
}
const note = (total: number, active: number, listed: number) =>
  noteOf(answer(total, active, listed), named(0, total));

test("the projects without events are named where all that have some are listed", () => {
  expect(note(3, 3, 3)).toBeUndefined();
  expect(note(3, 1, 1)).toBe("No events in this period: site 1, site 2.");
  expect(note(70, 66, 66)).toBe("No events in this period: site 66, site 67, site 68, site 69.");
});

test("no project with events is listed among those without", () => {
  expect(note(66, 66, 50)).toBe("16 more projects with fewer events.");
  expect(note(52, 51, 50)).toBe("1 more project with fewer events. 1 more project without events.");
});

test("twenty are named, the others counted", () => {
  expect(note(20, 0, 0)).toEndWith("site 18, site 19.");
  expect(note(21, 0, 0)).toEndWith("site 18, site 19 and 1 more.");
});
