import { afterEach, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../../test/support/random/cases";
import { own, shown } from "./shown";

const properties = { method: "GET", path: "/properties", query: { project: "shop" } } as const;
const stats = { method: "GET", path: "/stats", query: { project: "shop" } } as const;
const releases: (() => void)[] = [];
const ownOnce = (...reads: Parameters<typeof own>[0]) => {
  const release = own(reads);
  releases.push(release);
  return release;
};
const titles = () => [...shown.value.values()].map(({ title }) => title);

afterEach(() => {
  for (const release of releases.splice(0)) release();
  expect(shown.value.size).toBe(0);
});

test("a request stays on the screen until its last owner has gone", () => {
  ownOnce({ title: "of the page", request: properties });
  const closePalette = ownOnce({ title: "of the palette", request: properties });
  closePalette();
  expect(titles()).toEqual(["of the page"]);
});

test("an owner leaves once, however often it says so", () => {
  ownOnce({ title: "of the page", request: stats });
  const close = ownOnce({ title: "of the palette", request: stats });
  close();
  close();
  expect(titles()).toEqual(["of the page"]);
});

test("the requests shown are those with an owner, in any order of coming and going", () => {
  const requests = Array.from({ length: 4 }, (_, i) => ({ ...stats, path: `/${i}` }));
  const step = fc.record({ isComing: fc.boolean(), which: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const open: (() => void)[][] = requests.map(() => []);
      for (const { isComing, which } of steps) {
        const request = requests[which] ?? stats;
        if (isComing) open[which]?.push(ownOnce({ title: request.path, request }));
        else open[which]?.pop()?.();
        const owned = requests.filter((_, i) => (open[i]?.length ?? 0) > 0);
        expect(titles().sort()).toEqual(owned.map(({ path }) => path));
      }
      for (const release of open.flat()) release();
    }),
    { numRuns: cases(50, 1_000) },
  );
});
