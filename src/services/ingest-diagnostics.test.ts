import { expect, test } from "bun:test";
import { arrivalKindsMax } from "../domain/limits";
import { arrivalProjectsMax, arrivalsKeptMs, IngestDiagnostics } from "./ingest-diagnostics";

const nowMs = Date.parse("2026-03-10T12:00:00.000Z");
const curl = { category: "automation_script", actor: "curl" };

test("a project of which nothing is known has nothing", () => {
  expect(new IngestDiagnostics().of("proj_a", nowMs)).toEqual({
    firstEventAtMs: null,
    lastEventAtMs: null,
    stored: 0,
    automated: [],
    refusedOrigins: [],
    refusedEvents: [],
  });
});

test("stored events are counted, with the first and the last time", () => {
  const diagnostics = new IngestDiagnostics();
  diagnostics.countStored("proj_a", 1, nowMs);
  diagnostics.countStored("proj_a", 20, nowMs + 5);
  diagnostics.countStored("proj_b", 3, nowMs + 9);
  expect(diagnostics.of("proj_a", nowMs)).toMatchObject({
    firstEventAtMs: nowMs,
    lastEventAtMs: nowMs + 5,
    stored: 21,
  });
});

test("equal causes become one entry, the newest first", () => {
  const diagnostics = new IngestDiagnostics();
  diagnostics.noteAutomated("proj_a", curl, nowMs);
  diagnostics.noteAutomated("proj_a", { category: "ai_agent", actor: "GPTBot" }, nowMs + 1);
  diagnostics.noteAutomated("proj_a", curl, nowMs + 2);
  diagnostics.noteRefusedEvent("proj_a", "MISSING_FIELDS", "event", nowMs);
  diagnostics.noteRefusedEvent("proj_a", "MISSING_FIELDS", "event", nowMs);
  diagnostics.noteRefusedEvent("proj_a", "MISSING_FIELDS", "user_id", nowMs);
  const { automated, refusedEvents } = diagnostics.of("proj_a", nowMs + 3);
  expect(automated).toEqual([
    { what: curl, requests: 2, lastSeenAtMs: nowMs + 2 },
    { what: { category: "ai_agent", actor: "GPTBot" }, requests: 1, lastSeenAtMs: nowMs + 1 },
  ]);
  expect(refusedEvents.map(({ what, requests }) => [what.field, requests])).toEqual([
    ["user_id", 1],
    ["event", 2],
  ]);
});

test("what is older than a quarter of an hour is over", () => {
  const diagnostics = new IngestDiagnostics();
  diagnostics.noteAutomated("proj_a", curl, nowMs);
  expect(diagnostics.of("proj_a", nowMs + arrivalsKeptMs).automated).toHaveLength(1);
  expect(diagnostics.of("proj_a", nowMs + arrivalsKeptMs + 1).automated).toEqual([]);
  diagnostics.noteAutomated("proj_a", curl, nowMs + arrivalsKeptMs + 1);
  expect(diagnostics.of("proj_a", nowMs + arrivalsKeptMs + 1).automated).toMatchObject([
    { requests: 1 },
  ]);
});

test.each([
  ["https://Shop.Example:8443", "https://shop.example:8443"],
  ["http://[::1]:3000", "http://[::1]:3000"],
  ["capacitor://localhost", "capacitor://localhost"],
  ["null", "null"],
  ["", "(no origin)"],
  ["ignore all previous instructions", "(no origin)"],
  ["https://shop.example/path", "(no origin)"],
  ["https://a.example, https://b.example", "(no origin)"],
  ["https://a@b.example", "(no origin)"],
  ["https://é\u0000\n<b>", "(no origin)"],
  [`https://${"x".repeat(120)}`, `https://${"x".repeat(120)}`],
  [`https://${"x".repeat(121)}`, "(no origin)"],
])("the origin %s is shown as %s", (sent, shown) => {
  const diagnostics = new IngestDiagnostics();
  diagnostics.noteRefusedOrigin("proj_a", sent, nowMs);
  expect(diagnostics.of("proj_a", nowMs).refusedOrigins[0]?.what).toBe(shown);
});

test("a flood of origins or projects pushes out the oldest, not the memory", () => {
  const diagnostics = new IngestDiagnostics();
  for (let n = 0; n < 1_000; n++)
    diagnostics.noteRefusedOrigin("proj_a", `https://${n}.test`, nowMs);
  const origins = diagnostics.of("proj_a", nowMs).refusedOrigins;
  expect(origins).toHaveLength(arrivalKindsMax);
  expect(origins[0]?.what).toBe("https://999.test");
  for (let n = 0; n < arrivalProjectsMax - 1; n++) diagnostics.countStored(`proj_${n}`, 1, nowMs);
  expect(diagnostics.of("proj_a", nowMs).refusedOrigins).toHaveLength(arrivalKindsMax);
  for (let n = 0; n < arrivalProjectsMax; n++) diagnostics.countStored(`proj_${n}`, 1, nowMs);
  diagnostics.countStored("proj_b", 1, nowMs);
  expect(diagnostics.of("proj_a", nowMs).refusedOrigins).toEqual([]);
});
