import { expect, test } from "bun:test";
import { hourMs } from "../lib/clock";
import { ExcludedCounts, excludedProjectsMax } from "./excluded-counts";

const nowMs = Date.parse("2026-01-14T12:30:00Z");
const none = { ip: 0, country: 0, path: 0, hostname: 0, blocked: 0 };

test("events count by reason for the present hour and the 23 before", () => {
  const counts = new ExcludedCounts();
  counts.add("a", ["ip", "ip", "path"], nowMs);
  counts.add("a", ["blocked"], nowMs + 23 * hourMs);
  counts.add("b", ["country", "hostname"], nowMs);
  expect(counts.of("a", nowMs + 23 * hourMs)).toEqual({ ...none, ip: 2, path: 1, blocked: 1 });
  expect(counts.of("a", nowMs + 24 * hourMs)).toEqual({ ...none, blocked: 1 });
  counts.add("a", ["ip"], nowMs + 24 * hourMs);
  expect(counts.of("a", nowMs + 24 * hourMs)).toEqual({ ...none, ip: 1, blocked: 1 });
  expect(counts.of("a", nowMs + 100 * hourMs)).toEqual(none);
  expect(counts.of("b", nowMs)).toEqual({ ...none, country: 1, hostname: 1 });
  expect(counts.of("c", nowMs)).toEqual(none);
});

test("the projects that are counted have a bound: the one that was silent for the longest time goes", () => {
  const counts = new ExcludedCounts();
  for (let at = 0; at < excludedProjectsMax; at++) counts.add(`p${at}`, ["ip"], nowMs);
  counts.add("p0", ["ip"], nowMs);
  counts.add("one more", ["ip"], nowMs);
  expect(counts.of("p0", nowMs).ip).toBe(2);
  expect(counts.of("p1", nowMs).ip).toBe(0);
  expect(counts.of("p2", nowMs).ip).toBe(1);
});
