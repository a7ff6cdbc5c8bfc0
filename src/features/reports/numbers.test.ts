import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs } from "../../../test/support/app/app";
import {
  app,
  call,
  closeReports,
  fresh,
  make,
  openReports,
  period,
  shop,
} from "../../../test/support/app/reports";
import { randomFrom } from "../../../test/support/random/random";
import { hourMs } from "../../lib/clock";

beforeAll(openReports);
afterAll(closeReports);

describe("the numbers", () => {
  const dates = { since: period.from, until: period.to };
  const query = (more: Json): Promise<Json> =>
    app.post("/query", {
      ...{ project: shop.name, date_from: period.from, date_to: period.to, count_mode: "raw" },
      ...{ compare: { date_from: "2025-12-29", date_to: "2026-01-04" }, limit: 6, ...more },
    });
  const rows = async (group: string, metric: string) => {
    const answer = await query({ group_by: [group], metrics: [metric] });
    return (answer.rows as readonly Json[])
      .filter((row) => row[group] !== null && Number(row[metric]) > 0)
      .slice(0, 5)
      .map((row) => ({
        value: String(row[group]),
        count: row[metric],
        previous: (row.previous as Json)[metric],
      }));
  };

  test.each([1, 2, 3])(
    "are those of the reads of the same dates, on random data (seed %d)",
    async (seed) => {
      await fresh(seed === 2 ? "Asia/Kolkata" : undefined);
      const random = randomFrom(seed);
      const one = <T>(list: readonly [T, ...T[]]): T => list[random.below(list.length)] ?? list[0];
      app.setTime(noonMs);
      const context = { activation_events: ["pay", "never"] };
      await call("PUT", "/project-context", { project: shop.name, ...context });
      const events = Array.from({ length: 400 }, (_, at) => ({
        event: one(["page_view", "page_view", "pay", "click"]),
        user_id: `u${random.below(40)}`,
        session_id: `s${random.below(120)}`,
        timestamp: noonMs - random.below(17 * 24) * hourMs - at,
        properties: {
          path: one(["/", "/a", "/b", "/c", "/d", "/e", "/f"]),
          utm_source: one(["google", "news", null]),
        },
      }));
      for (let from = 0; from < events.length; from += 100) {
        await app.track(shop, ...events.slice(from, from + 100));
      }
      const { id } = await make();
      const { data } = (await app.get(`/reports/${id}/preview`)) as { readonly data: Json };
      const zone = seed === 2 ? { timezone: "Asia/Kolkata" } : {};
      expect(data).toMatchObject({ period: { ...period, ...zone } });
      const stats = await app.get(
        `/stats?project=${shop.name}&since=${dates.since}&until=${dates.until}`,
      );
      const { totals, sessions } = stats as { readonly totals: Json; readonly sessions: Json };
      const numbers = data.numbers as Readonly<Record<string, Json>>;
      expect([numbers.visitors?.current, numbers.events?.current]).toEqual([
        ...[totals.unique_users, totals.total_events],
      ]);
      expect(numbers.sessions?.current).toBe(sessions.total_sessions);
      expect(numbers.bounce_rate?.current).toBe(sessions.bounce_rate);
      expect(numbers.avg_duration?.current).toBe(sessions.avg_duration);
      const asked = await query({ metrics: ["page_views", "unique_users"] });
      const [row] = asked.rows as readonly Json[];
      const [before, change] = [row?.previous as Json, row?.change_pct as Json];
      expect(numbers.page_views).toMatchObject({ current: row?.page_views });
      expect(numbers.visitors).toMatchObject({
        ...{ previous: before.unique_users, change_pct: change.unique_users },
      });
      expect(data.goals).toHaveLength(2);
      for (const goal of data.goals as readonly Json[]) {
        const metrics = ["conversions", "conversion_rate"];
        const [of] = (await query({ metrics, goal: { event: goal.event } }))
          .rows as readonly Json[];
        const then = of?.previous as Json;
        const rate = { current: of?.conversion_rate, previous: then.conversion_rate };
        expect(goal).toMatchObject({ current: of?.conversions, previous: then.conversions });
        expect(goal.conversion_rate).toMatchObject(rate);
      }
      expect(data.pages).toEqual(await rows("properties.path", "unique_users"));
      expect(data.sources).toEqual(await rows("session.source", "unique_users"));
      expect(data.countries).toEqual(await rows("country", "unique_users"));
      expect(data.events).toEqual(await rows("event", "event_count"));
      const inWeek = `project=${shop.name}&since=${dates.since}&until=${dates.until}`;
      const changes = await app.get(`/changes?${inWeek}`);
      const { verdict, drivers, current } = changes as { drivers: readonly Json[] } & Json;
      expect(data.changes).toMatchObject({ verdict, drivers: drivers.slice(0, 3) });
      expect((data.changes as Json).current).toBe((current as Json).value);
    },
  );
});
