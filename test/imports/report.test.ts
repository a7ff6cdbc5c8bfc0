import { expect, test } from "bun:test";
import type { ImportReport, ReportedEventDay } from "../../src/domain/import-report";
import { timeZoneOf } from "../../src/domain/time-zone";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { checked, committed, eventLines, waitFor } from "../support/app/imports";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

/*
 * The numbers that a report promises are those that reads answer after the commit: on random files of several kinds,
 * into projects that have events, links, an earlier import and retention.
 */

const dayMs = 24 * 60 * 60_000;
const firstMs = noonMs - 40 * dayMs;
const people = ["p1", "p2", "p3", "anon-1", "anon-2", "ü"];
const names = ["page_view", "page_view", "buy", "$scroll_depth"];

interface MadeFile {
  readonly kind: string;
  readonly text: string;
  readonly rows: number;
}
type Maker = (random: Random, count: number) => MadeFile;

const timeOf = ({ below }: Random): number => firstMs + below(40 * dayMs);

const makers: Readonly<Record<string, Maker>> = {
  events: (random, count) => {
    const { pick, chance, below } = random;
    const rows = Array.from({ length: count }, () => ({
      // A few of them are refused: they have no name, or a time to come.
      event: chance(0.05) ? "" : pick(names),
      timestamp: chance(0.05) ? noonMs + dayMs : timeOf(random),
      ...(chance(0.8) && { user_id: pick(people), session_id: `s${below(30)}` }),
      ...(chance(0.4) && { event_id: `e${below(count)}` }),
      ...(chance(0.5) && { properties: { path: pick(["/", "/a"]), n: below(3) } }),
    }));
    return { kind: "events", text: eventLines(rows), rows: count };
  },
  mixpanel: (random, count) => {
    const { pick, chance, below } = random;
    const rows = Array.from({ length: count }, (_, at): Json => {
      const time = Math.floor(timeOf(random) / 1_000);
      const [anonymous, user] = [pick(people), pick(people)];
      const common = {
        time,
        distinct_id: anonymous,
        $insert_id: `i${chance(0.2) ? below(count) : at}`,
      };
      if (chance(0.1)) {
        const pair = { $anon_distinct_id: anonymous, $identified_id: user, $user_id: user };
        return { event: "$identify", properties: { ...common, ...pair } };
      }
      const event = chance(0.5) ? "$mp_web_page_view" : "buy";
      return { event, properties: { ...common, $current_url: "https://garten.example/a" } };
    });
    return { kind: "mixpanel", text: eventLines(rows), rows: count };
  },
  goatcounter: (random, count) => {
    const { pick, chance, below } = random;
    const head =
      "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size," +
      "Location,FirstVisit,Date";
    const rows = Array.from({ length: count }, () => {
      const [bot, isEvent] = [chance(0.1) ? 1 : 0, chance(0.3) ? 1 : 0];
      // Whole hours: some rows are equal.
      const time = new Date(Math.floor(timeOf(random) / 3_600_000) * 3_600_000);
      const date = time.toISOString().replace(".000Z", "Z");
      const session = `session-${below(20)}`;
      return `${pick(["/", "/a", "buy"])},,${isEvent},,Edge 86,Android 14,${session},${bot},,,,DE,1,${date}`;
    });
    return { kind: "goatcounter", text: `${[head, ...rows].join("\n")}\n`, rows: count };
  },
};

/** The project has an event of its own, links, and perhaps an earlier import and retention. */
async function fill(random: Random, app: TestApp, shop: TestProject, make: Maker): Promise<void> {
  const { pick, chance, below } = random;
  const timezone = pick(["UTC", "Asia/Tokyo", "America/New_York"]);
  await app.send("PATCH", `/projects/${shop.id}`, { key: app.key, body: { timezone } });
  if (chance(0.7)) {
    const own = {
      event: "own",
      user_id: "owner",
      session_id: "own",
      timestamp: noonMs - below(25) * dayMs,
    };
    await app.track(shop, own);
  }
  for (let links = below(3); links > 0; links--) {
    const previous = pick(people);
    const others = people.filter((one) => one !== previous);
    const body = { token: shop.token, previous_id: previous, user_id: pick(others) };
    await app.post("/identify", body);
  }
  if (chance(0.5)) await committed(app, shop, make(random, 40).text, { overlap: "keep" });
  const zone = timeZoneOf(timezone);
  const retainedFromMs = zone.startOf(zone.dayAt(firstMs) + below(15));
  if (chance(0.5)) await app.deps.store.forget(shop.id, retainedFromMs);
}

interface Counted {
  readonly event_count: number;
  readonly unique_users: number;
  readonly session_count: number;
  readonly page_views: number;
}
/** Counts of the whole project, by date and by event too. */
async function readsOf(app: TestApp, project: string) {
  const ask = async (group_by: readonly string[]) => {
    const metrics = ["event_count", "unique_users", "session_count", "page_views"];
    const asked = {
      project,
      date_from: "2025-11-01",
      metrics,
      group_by,
      count_mode: "raw",
      limit: 100,
    };
    const { rows } = await app.post("/query", asked);
    return rows as readonly (Counted & { readonly date: string; readonly event: string })[];
  };
  const { totals } = await app.get(`/history?project=${project}`);
  return {
    whole: (await ask([]))[0],
    dates: await ask(["date"]),
    events: await ask(["event"]),
    folded: (totals as { readonly events: number | null }).events ?? 0,
  };
}

async function reportIsTrue(seed: number, maker: string): Promise<void> {
  const app = await testApp();
  try {
    const random = randomFrom(seed);
    const { pick, between } = random;
    const make = makers[maker];
    if (make === undefined) throw new Error(maker);
    const shop = await app.makeProject("shop");
    await fill(random, app, shop, make);
    const file = make(random, between(50, 400));
    const rules = { overlap: pick(["drop", "keep"]), older: pick(["drop", "fold"]) };
    const { id, report } = await checked(app, shop, file.text, rules);
    const promised = report as ImportReport;
    const label = `SEED=${seed} ${maker}`;
    const sum = Object.values(promised.rows).reduce((all, count) => all + count, 0);
    expect(sum, label).toBe(file.rows);

    // Without the rest of the project its reads are those of the import alone.
    const before = await readsOf(app, shop.id);
    await app.post(`/imports/${id}/commit`, {});
    const done = await waitFor(app, String(id), "done");
    expect(done.report, label).toEqual(promised);
    const after = await readsOf(app, shop.id);
    const gained = (of: keyof Counted): number =>
      (after.whole?.[of] ?? 0) - (before.whole?.[of] ?? 0);
    expect(gained("event_count"), label).toBe(promised.rows.stored);
    expect(gained("page_views"), label).toBe(promised.page_views);
    // Days behind the first event of an earlier import are not shown.
    const shown = after.folded - before.folded;
    if (promised.hidden_days === 0) expect(shown, label).toBe(promised.rows.folded);
    const countsOf = (rows: typeof before.events) =>
      new Map(rows.map(({ event, event_count }) => [event, event_count]));
    const [was, is] = [countsOf(before.events), countsOf(after.events)];
    for (const { event, count } of promised.by_event) {
      expect([event, (is.get(event) ?? 0) - (was.get(event) ?? 0)], label).toEqual([event, count]);
    }
    if ((before.whole?.event_count ?? 0) > 0) return;
    const { unique_users, session_count } = after.whole ?? {};
    expect([unique_users, session_count], label).toEqual([promised.users, promised.sessions]);
    const days = after.dates.map(
      ({ date, ...one }): ReportedEventDay => ({
        ...{ date, events: one.event_count, page_views: one.page_views },
        ...{ users: one.unique_users, sessions: one.session_count },
      }),
    );
    if (promised.rows.stored > 0) {
      expect(
        days.toSorted((a, b) => (a.date < b.date ? -1 : 1)),
        label,
      ).toEqual([...(promised.by_day as readonly ReportedEventDay[])]);
    }
  } finally {
    await app.close();
  }
}

test("what a report promises is what reads answer after the commit", async () => {
  const first = cases(1, randomSeed());
  for (let seed = first; seed < first + cases(1, 20); seed++) {
    for (const maker of Object.keys(makers)) await reportIsTrue(seed, maker);
  }
}, 600_000);
