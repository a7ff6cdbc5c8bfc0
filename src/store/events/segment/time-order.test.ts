import { expect, test } from "bun:test";
import { randomFrom } from "../../../../test/support/random/random";
import { ticketOf } from "../../shared/ticket";
import { rowsByTicket, rowsByTime } from "./time-order";

const { below } = randomFrom(20_261_123);
const rowsOf = (values: ArrayLike<number>): number[] =>
  Array.from(values, (_, row) => row).sort((a, b) => values[a] - values[b]);

test("rows are sorted by time, and rows of equal time keep their order", () => {
  for (const length of [500, 2_048, 2_049]) {
    for (const span of [1, 3, 1 << 14, 2 ** 28, 2 ** 32]) {
      const times = Uint32Array.from({ length }, () => below(span));
      expect([...rowsByTime(times)]).toEqual(rowsOf(times));
    }
  }
  expect([...rowsByTime(new Uint32Array(0))]).toEqual([]);
});

test("rows are sorted by ticket, within a second and over the years that tickets have", () => {
  const firstMs = Date.UTC(2020, 0, 1);
  for (const length of [500, 3_000]) {
    for (const years of [0, 1 / 12, 1, 69]) {
      const spanMs = 1 + years * 365 * 86_400_000;
      const tickets = Float64Array.from({ length }, () =>
        ticketOf(firstMs + Math.floor((below(2 ** 30) / 2 ** 30) * spanMs), below(4_096)),
      );
      expect([...rowsByTicket(tickets)]).toEqual(rowsOf(tickets));
    }
  }
  expect([...rowsByTicket(new Float64Array(0))]).toEqual([]);
});
