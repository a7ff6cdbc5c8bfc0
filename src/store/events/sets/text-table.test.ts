import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/random/any-character";
import { cases } from "../../../../test/support/random/cases";
import { randomFrom } from "../../../../test/support/random/random";
import { bytesPerUnitMax, writeText } from "../../../lib/code-points";
import { compareText } from "../../../lib/text";
import { Texts } from "../segment/texts";
import { usualTuning } from "../tuning";
import { Budget } from "./budget";
import { firstInOrder, membersAtOnce, mostFrequent } from "./largest";
import { TextTable } from "./text-table";

const add = (table: TextTable, text: string): number => {
  const bytes = new Uint8Array(text.length * bytesPerUnitMax);
  return table.numberOf(bytes, 0, writeText(bytes, 0, text));
};
const newBudget = () => new Budget(() => undefined);
const names = fc.array(
  fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 4 }),
    fc.constantFrom("", "aaaaaaa", "aaaaaaab", "😀", "～"),
  ),
  { maxLength: 60 },
);

test("equal texts have one number, and each can be read again", () => {
  const table = new TextTable(7, newBudget());
  const texts = Array.from({ length: 5_000 }, (_, index) => `${"x".repeat(index % 2_000)}${index}`);
  const numbers = texts.map((text) => add(table, text));
  expect(numbers).toEqual(texts.map((_, index) => index));
  expect(texts.map((text) => add(table, text))).toEqual(numbers);
  expect(numbers.map((number) => table.text(number))).toEqual(texts);
});

test("many texts of a list have the numbers that they have one by one, while the table grows", () => {
  const values = Array.from({ length: 3_000 }, (_, index) => `order ${(index * 7) % 2_000}`);
  const list = Texts.of(values);
  const places = Uint32Array.from(values.keys()).filter((place) => place % 3 !== 0);
  const [together, apart] = [new TextTable(7, newBudget()), new TextTable(7, newBudget())];
  for (const table of [together, apart]) add(table, "order 7");
  const numbers = new Map<number, number>();
  together.numberEach(list, places, (place, number) => void numbers.set(place, number));
  expect([...numbers.keys()]).toEqual([...places]);
  expect([...numbers.values()]).toEqual([...places].map((place) => add(apart, values[place])));
});

test("more text than the budget has room for is refused, and the refusal says what to do", () => {
  const small = { ...usualTuning, questionBytesMax: 5_000_000 };
  const table = new TextTable(7, new Budget(() => undefined, small));
  add(table, "12345");
  const fill = () => {
    for (let number = 10; number < 70; number++) add(table, `${number}`.repeat(50_000));
  };
  expect(fill).toThrow("ask for fewer days");
  expect(add(table, "12345")).toBe(0);
});

test("the first in order are those that sorting finds", () => {
  fc.assert(
    fc.property(names, fc.nat(70), (texts, count) => {
      const table = new TextTable(7, newBudget());
      const numbers = [...new Set(texts.map((text) => add(table, text)))];
      const byteAt = (number: number, place: number) => table.byteAt(number, place);
      const { first, undecided } = firstInOrder(numbers, count, byteAt, newBudget());
      const shown = first.map((number) => table.text(number)).sort(compareText);
      expect(shown).toEqual([...new Set(texts)].sort(compareText).slice(0, count));
      expect(undecided).toEqual([]);
    }),
  );
});

test("the first of more than are looked at together are those that sorting finds", () => {
  const { below } = randomFrom(5);
  // Nearly all begin with the same bytes; some are equal in the bytes that are looked at first, some are short.
  const nameOf = (number: number): string =>
    ["order-", "orders", "o"][number % 3] + below(cases(1_400, 90_000));
  const atOnce = cases(1_024, membersAtOnce);
  // More than are looked at together twice.
  const length = 2 * atOnce + 300;
  const texts = Array.from({ length }, (_, number) => nameOf(number));
  const byteAt = (member: number, place: number): number => {
    const text = texts[member];
    return place < text.length ? text.charCodeAt(place) : -1;
  };
  for (const members of [texts.toSorted(), texts.toSorted().reverse(), texts.slice()]) {
    texts.splice(0, texts.length, ...members);
    for (const count of [1, 100, atOnce, atOnce + 1, length - 1]) {
      const { first, undecided } = firstInOrder(
        [...texts.keys()],
        count,
        byteAt,
        newBudget(),
        atOnce,
      );
      const chosen = first.map((member) => texts[member]);
      // Members of one text, of which there are more than places left.
      const last = undecided.slice(0, count - first.length).map((member) => texts[member]);
      expect([...chosen, ...last].toSorted()).toEqual(texts.toSorted().slice(0, count));
    }
  }
});

test("the most frequent ones are those that sorting finds", () => {
  fc.assert(
    fc.property(names, fc.nat(20), (texts, limit) => {
      const table = new TextTable(7, newBudget());
      const counts = new Uint32Array(texts.length);
      for (const text of texts) counts[add(table, text)]++;
      const byteAt = (number: number, place: number) => table.byteAt(number, place);
      const found = mostFrequent(counts, limit, byteAt, newBudget());
      const countOf = (text: string) => texts.filter((one) => one === text).length;
      const wanted = [...new Set(texts)]
        .sort((a, b) => countOf(b) - countOf(a) || compareText(a, b))
        .slice(0, limit);
      expect(found.map((number) => table.text(number)).sort()).toEqual(wanted.toSorted());
    }),
  );
});
