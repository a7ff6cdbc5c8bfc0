import { expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import { dayMs, event, noonMs, projectId, store } from "../../../../test/support/engine/examples";
import { cases } from "../../../../test/support/random/cases";
import { randomFrom } from "../../../../test/support/random/random";
import type { ChangeCounts, ChangeMetric } from "../../../domain/changes/change-counts";
import { dayOf } from "../../../domain/event";
import { timeZoneOf } from "../../../domain/time-zone";
import { viewOf } from "../../../reads/view";
import type { Read } from "../../port";

/**
 * These tests compare the counts of each value on each date with loops over the events. An answer of /changes shows
 * only how much the counts vary, and with little data not even that. Each read runs twice: the second time, the engine
 * answers from its cache.
 */

interface CountsInput {
  readonly metric: ChangeMetric;
  readonly zone: string | undefined;
}
interface Said {
  readonly timeMs: number;
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly country: string;
  readonly path: string;
  readonly campaign: string | null;
  readonly referrer: string;
}

const today = dayOf(noonMs);
const daysOf = (zone: string | undefined) => ({
  current: { from: today - 3, to: today - 1, zone },
  previous: { from: today - 10, to: today - 8, zone },
  reference: { from: today - 24, to: today - 4, zone },
});
const dimensions = ["country", "page", "source", "version"] as const;

const countsRead: Read<CountsInput, ChangeCounts> = {
  name: "counts by date",
  scope: () => ({ projectIds: [projectId], fromMs: 0, toMs: noonMs + dayMs }),
  async run(snapshot, { metric, zone }) {
    const asked = daysOf(zone);
    const view = viewOf(projectId, { from: asked.reference.from, to: asked.current.to, zone });
    const found = await snapshot.changeCounts(view, { metric, dimensions, ...asked });
    const listed = (one: ChangeCounts["total"]) => ({ ...one, byDate: Array.from(one.byDate) });
    return {
      total: listed(found.total),
      dimensions: found.dimensions.map((one) => ({ ...one, values: one.values.map(listed) })),
    };
  },
};

const sizesOf = (pairArrayLengthMax: number, cachedUserValuesMax: number) => ({
  ...{ ...usualSizes, columnEventsMin: 64 },
  ...{ pairArrayLengthMax, cachedUserValuesMax },
});

test.each([sizesOf(1 << 22, 1_024), sizesOf(1_000, 60), sizesOf(0, 1_024), sizesOf(0, 0)])(
  "is what loops over the events find: $pairArrayLengthMax, $cachedUserValuesMax",
  async (sizes) => {
    const { below, pick, chance } = randomFrom(7);
    const made = (count: number, days: number): Said[] =>
      Array.from({ length: count }, () => {
        const visitor = below(60);
        const timeMs = noonMs - 2 * dayMs - below(days * dayMs);
        // A campaign belongs to a whole visit, every other value to a single event.
        const visit = {
          userId: chance(0.9) ? `u${visitor}` : null,
          sessionId: chance(0.9) ? `s${visitor} ${below(100)}` : null,
          campaign: visitor % 3 === 0 ? `c${visitor % 5}` : null,
        };
        return Array.from({ length: 1 + below(4) }, () => ({
          ...visit,
          timeMs: timeMs + below(dayMs),
          country: pick(["CH", "DE", "FR"]),
          path: `/${below(130)}`,
          referrer: pick(["", "a.example", "b.example"]),
        }));
      }).flat();
    const said: Said[] = [];
    const engine = new Engine(sizes);
    const links = new Map<string, string>();
    const say = (events: readonly Said[]): void => {
      said.push(...events);
      store(
        engine,
        events.map(({ path, campaign, referrer, ...one }) => {
          const utm = campaign === null ? {} : { utm_source: campaign };
          // If an event has no path, its address is the page.
          const page = path.endsWith("0") ? { url: path, path: 0 } : { path, url: "/no page" };
          const address = referrer && `https://${referrer}/`;
          const properties = { ...page, ...versionsOf(path), ...utm, referrer: address };
          return event({ ...one, properties });
        }),
      );
      at(noonMs, () => engine.compact());
    };
    const link = (previousId: string, userId: string): void => {
      links.set(previousId, userId);
      engine.append([
        { kind: "identity", projectId, receivedAtMs: noonMs, previousId, userId, traits: null },
      ]);
    };
    const hold = async (): Promise<void> => {
      const owned = said.map((one) => ({
        ...one,
        userId: links.get(one.userId ?? "") ?? one.userId,
      }));
      const sourceOf = sourcesOf(owned);
      for (const metric of ["events", "sessions", "users"] as const) {
        const things = metric === "sessions" ? firstOfSessions(owned) : owned;
        for (const zone of [undefined, "Asia/Kolkata"]) {
          const found = await engine.read(countsRead, { metric, zone });
          expect(await engine.read(countsRead, { metric, zone })).toEqual(found);
          expect(found.total).toEqual({ value: null, ...looped(things, { metric, zone }) });
          const [countries, pages, sources, versions] = found.dimensions;
          expect(countries.values.length).toBe(3);
          expect(pages.values.length).toBeGreaterThan(metric === "sessions" ? 80 : 99);
          for (const [{ values }, of] of [
            [countries, ({ country }: Said) => country],
            [pages, ({ path }: Said) => path],
            [sources, ({ sessionId }: Said) => (sessionId === null ? null : sourceOf(sessionId))],
            ...(metric === "sessions" ? [] : [[versions, versionOf] as const]),
          ] as const) {
            const byValue = Map.groupBy<string | null, Said>(things, of);
            const inLoops = values.map(({ value }) => ({
              value,
              ...looped(byValue.get(value) ?? [], { metric, zone }),
            }));
            expect(values).toEqual(inLoops);
          }
        }
      }
    };
    try {
      say(made(cases(1_000, 1_500), 30));
      await hold();
      say(made(40, 20));
      link("u1", "u2");
      await hold();
      engine.unlink(projectId, "u1");
      links.clear();
      link("u3", "u4");
      await hold();
    } finally {
      engine.close();
    }
  },
);

function looped(things: readonly Said[], { metric, zone }: CountsInput) {
  const { current, previous, reference } = daysOf(zone);
  const dated = things.map(({ timeMs, userId }) => ({
    day: timeZoneOf(zone).dayAt(timeMs),
    userId,
  }));
  const on = (from: number, to: number): number => {
    const found = dated.filter(({ day }) => day >= from && day <= to);
    if (metric !== "users") return found.length;
    return new Set(found.flatMap(({ userId }) => userId ?? [])).size;
  };
  const byDate = Array.from({ length: reference.to - reference.from + 1 }, (_, index) =>
    on(reference.from + index, reference.from + index),
  );
  return {
    current: on(current.from, current.to),
    previous: on(previous.from, previous.to),
    byDate,
  };
}

/** Neither, a number or a text: 2 and "2" are one value. */
function versionsOf(path: string) {
  const number = Number(path.slice(1));
  const version = [undefined, 1, 2][number % 3];
  return { version, release: [undefined, "", "2", "3"][number % 4] };
}
function versionOf({ path }: Said): string | null {
  const { version, release } = versionsOf(path);
  return version === undefined ? release || null : String(version);
}

function firstOfSessions(events: readonly Said[]): Said[] {
  const first = new Map<string, Said>();
  for (const one of events.toSorted((a, b) => a.timeMs - b.timeMs)) {
    if (one.sessionId !== null && !first.has(one.sessionId)) first.set(one.sessionId, one);
  }
  return [...first.values()];
}

/** Returns where each session came from: of its earliest event that tells. */
function sourcesOf(events: readonly Said[]): (sessionId: string) => string {
  const inOrder = events.toSorted((a, b) => a.timeMs - b.timeMs);
  const sessions = Map.groupBy(inOrder, ({ sessionId }) => sessionId);
  const known = new Map(
    [...sessions].map(([sessionId, own]) => {
      const campaign = own.find((one) => one.campaign !== null)?.campaign;
      return [sessionId, campaign ?? (own.find(({ referrer }) => referrer)?.referrer || "Direct")];
    }),
  );
  return (sessionId) => known.get(sessionId) ?? "Direct";
}
