import { describe, expect, test } from "bun:test";
import { randomFrom, randomSeed } from "../../../test/support/random/random";
import { dayMs } from "../../lib/clock";
import { ticketColumns, ticketsOf } from "../events/segment/ticket-columns";
import { rowsByTime } from "../events/segment/time-order";
import { nextTicket, ticketCounter, ticketOf, ticketTimeMs, ulid } from "./ticket";

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const nowMs = Date.UTC(2026, 5, 1);

describe("a ticket", () => {
  test("tells its time and counter", () => {
    expect(ticketTimeMs(ticketOf(nowMs, 4_095))).toBe(nowMs);
    expect(ticketCounter(ticketOf(nowMs, 4_095))).toBe(4_095);
  });

  test("ascends with any clock", () => {
    let last = 0;
    for (const clockMs of [nowMs, nowMs, nowMs - dayMs, 0, Date.UTC(2300, 0, 1), nowMs + 1]) {
      const next = nextTicket(last, clockMs);
      expect(next).toBeGreaterThan(last);
      expect(Number.isSafeInteger(next)).toBe(true);
      last = next;
    }
    expect(last).toBe(ticketOf(nowMs + 1, 0));
  });

  test("prints as a ULID of 26 characters that sorts like it, and differs between projects", () => {
    const tickets = [0, 1, 4_095, 4_096, 10_000_000].map((step) => ticketOf(nowMs, 0) + step);
    const ids = tickets.map((ticket) => ulid(1, ticket));
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(ulid(2, tickets[0])).not.toBe(ids[0]);
  });

  test("has the bits that it names, first to last ticket", () => {
    const random = randomFrom(randomSeed());
    const bits = (high: number, low: number) =>
      random.below(2 ** high) * 2 ** low + random.below(2 ** low);
    const some = Array.from({ length: 200 }, () => bits(32, 21));
    for (const ticket of [0, 1, 4_095, 4_096, 2 ** 52, Number.MAX_SAFE_INTEGER, ...some]) {
      const project = bits(32, 3);
      const number =
        (BigInt(ticketTimeMs(ticket)) << 50n) |
        (BigInt(ticketCounter(ticket)) << 35n) |
        BigInt(project);
      const digits = [...number.toString(32).padStart(20, "0")];
      const text = digits.map((digit) => crockford[Number.parseInt(digit, 32)]).join("");
      expect(ulid(project, ticket)).toBe(`${text}S1GHT1`);
    }
  });
});

test("rows are sorted by time, equal times in the order of rows", () => {
  const random = randomFrom(randomSeed());
  for (const largest of [1, 100, 86_400_000, 2 ** 32 - 1]) {
    const times = new Uint32Array(500).map(() => random.below(largest));
    const expected = [...times.keys()].sort((a, b) => times[a] - times[b] || a - b);
    expect([...rowsByTime(times)]).toEqual(expected);
  }
  expect([...rowsByTime(new Uint32Array(0))]).toEqual([]);
});

test("tickets come back from their columns, whatever their order", () => {
  const random = randomFrom(randomSeed());
  for (let round = 0; round < 50; round++) {
    const count = 1 + random.below(300);
    const times = new Uint32Array(count).map(() => random.below(random.pick([1, 1_000, 2 ** 32])));
    const tickets = new Float64Array(count);
    // A clock that stands before 2020 begins with ticket 1.
    let last = random.pick([0, ticketOf(nowMs, 0)]);
    for (let i = 0; i < count; i++) {
      last += random.pick([1, 1, 1, 5, 4_096, random.below(2 ** 40)]);
      tickets[i] = last;
    }
    if (random.chance(0.5)) tickets.sort(() => random.pick([-1, 1]));
    const firstTime = nowMs - random.below(400) * dayMs;
    const columns = ticketColumns(firstTime, times, tickets);
    const back = ticketsOf(
      firstTime,
      times,
      columns.get("event.ticket")!.codes!,
      columns.get("event.ticket_high")?.codes ?? null,
      columns.get("event.counter")!.codes!,
    );
    expect([...back]).toEqual([...tickets]);
  }
});
