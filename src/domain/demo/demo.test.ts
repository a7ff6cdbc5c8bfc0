import { describe, expect, test } from "bun:test";
import { cases } from "../../../test/support/random/cases";
import { knownActors } from "../../ingest/bot-table";
import { dayOf } from "../event";
import { demoDates, propertiesBytesMax } from "../limits";
import { projectContextOf } from "../project-context";
import { demoContext } from "./context";
import { type DemoDay, demoDay, demoSessionsMin } from "./day";
import { demoExperiment } from "./visitor";

/** The 120 dates from 8 December 2025 on and other stretches, so that no rule holds by luck. */
const stretches = cases([20_430, 21_000], [20_430, 20_475, 21_000]).map((first) =>
  Array.from({ length: demoDates }, (_, index) => first + index),
);

/** The demo is seeded in seconds. */
const eventsMax = 80_000;

const eventsOf = (days: readonly DemoDay[]) => days.flatMap(({ events }) => events);
const textOf = (event: DemoDay["events"][number], key: string): string =>
  String((event.properties as Readonly<Record<string, unknown>>)[key]);

describe.each(stretches.map((days) => [days[0], days.map(demoDay)] as const))(
  "the 120 dates from day %p on",
  (first, days) => {
    const events = eventsOf(days);
    const named = (name: string) => events.filter((event) => event.name === name);

    test("have sessions enough, each within its date and in order of time", () => {
      days.forEach(({ events: ofDay }, index) => {
        const sessions = new Set(ofDay.map(({ sessionId }) => sessionId));
        expect(sessions.size).toBeGreaterThanOrEqual(demoSessionsMin);
        expect(new Set(ofDay.map(({ timeMs }) => dayOf(timeMs)))).toEqual(
          new Set([(first ?? 0) + index]),
        );
        const times = ofDay.map(({ timeMs }) => timeMs);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      });
    });

    test("have events for every page, all with a path and of ordinary size", () => {
      const counts = new Map(Map.groupBy(events, ({ name }) => name));
      expect([...counts.keys()].sort()).toEqual([
        ...["$404", "$download", "$error", "$experiment_exposure", "$web_vitals"],
        ...["outgoing_link", "page_view", "purchase", "signup", "signup_started"],
      ]);
      for (const [, own] of counts) expect(own.length).toBeGreaterThan(50);
      expect(events.length).toBeLessThan(eventsMax);
      for (const event of events) {
        expect(textOf(event, "path")).toMatch(/^\/[a-z/-]*$/);
        expect(JSON.stringify(event.properties).length).toBeLessThan(propertiesBytesMax / 8);
      }
    });

    test("come from five countries and three referrers at least, by people who return", () => {
      expect(new Set(events.map(({ country }) => country)).size).toBeGreaterThanOrEqual(5);
      const referrers = new Set(events.map((event) => textOf(event, "referrer")));
      referrers.delete("");
      expect(referrers.size).toBeGreaterThanOrEqual(3);
      const datesOf = Map.groupBy(events, ({ userId }) => userId);
      const returning = [...datesOf.values()].filter(
        (own) => new Set(own.map(({ timeMs }) => dayOf(timeMs))).size > 1,
      );
      expect(returning.length).toBeGreaterThan(datesOf.size / 10);
    });

    test("have campaigns of which one brings orders, and orders that are sent twice", () => {
      const campaignOf = new Map(
        events.map((event) => [event.userId, textOf(event, "utm_campaign")] as const).toReversed(),
      );
      const buyers = Map.groupBy(named("purchase"), ({ userId }) => campaignOf.get(userId));
      const visitors = Map.groupBy(campaignOf, ([, one]) => one);
      const rate = (one: string) =>
        (buyers.get(one)?.length ?? 0) / (visitors.get(one)?.length ?? 0);
      expect(rate("late-payments")).toBeGreaterThan(2 * rate("invoice-software"));
      const campaignSessions = new Set(
        events
          .filter((event) => textOf(event, "utm_campaign") === "late-payments")
          .map(({ sessionId }) => sessionId),
      );
      const bought = named("purchase").filter(({ sessionId }) => campaignSessions.has(sessionId));
      expect(bought.length).toBeGreaterThan(20);
      const orders = new Set(named("purchase").map((event) => textOf(event, "order_id")));
      expect(orders.size).toBeLessThan(named("purchase").length);
      expect(orders.size).toBeGreaterThan(100);
    });

    test("lose many between the beginning of a sign-up and its end", () => {
      const share = named("signup").length / named("signup_started").length;
      expect(share).toBeGreaterThan(0.3);
      expect(share).toBeLessThan(0.65);
    });

    test("show each visitor the variant that the tracker would, and enough of both", () => {
      const exposures = named("$experiment_exposure");
      for (const event of exposures) {
        const text = `${demoExperiment.name}.${event.userId}`;
        const hash = [...text].reduce((sum, unit) => (31 * sum + unit.charCodeAt(0)) | 0, 0);
        const variant = Math.abs(hash) % 100 < 50 ? "control" : demoExperiment.variant;
        expect(textOf(event, "variant")).toBe(variant);
        expect(textOf(event, "experiment")).toBe(demoExperiment.name);
      }
      const shown = Map.groupBy(exposures, (event) => textOf(event, "variant"));
      expect([...shown.values()].every((own) => own.length > 1_000)).toBe(true);
    });

    test("have automated traffic of three known kinds, every day", () => {
      for (const { crawlers } of days) {
        expect(new Set(crawlers.map(({ category }) => category)).size).toBe(3);
        for (const { category, actor, requests } of crawlers) {
          expect(requests).toBeGreaterThan(0);
          const known = knownActors.find((one) => one.actor === actor);
          expect([actor, known?.category as string | undefined]).toEqual([actor, category]);
        }
      }
    });
  },
);

test("a date is always the same, and no date is like another", () => {
  const [day = 0, next = 0] = stretches[0] ?? [];
  expect(demoDay(day)).toEqual(demoDay(day));
  const shapes = [demoDay(day), demoDay(next)].map(({ events }) => events.map(({ name }) => name));
  expect(shapes[0]).not.toEqual(shapes[1]);
});

test("the context is one that could have been sent", () => {
  const context = demoContext(20_475);
  expect(projectContextOf(context, context)).toEqual(context);
  expect(context.annotations.length).toBeGreaterThan(0);
});
