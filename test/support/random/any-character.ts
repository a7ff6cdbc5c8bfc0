import fc from "fast-check";

const pointMax = 0x10ffff;
/** Halves of characters are none. */
const [firstHalf, lastHalf] = [0xd800, 0xdfff];
const halves = lastHalf - firstHalf + 1;

/**
 * Any character of Unicode, as fast-check's own unit "binary" has them: that one makes a table of all million, which
 * takes longer than most tests.
 */
export const anyCharacter = fc.integer({ min: 0, max: pointMax - halves }).map(
  (index) => String.fromCodePoint(index < firstHalf ? index : index + halves),
  (character) => {
    const point = typeof character === "string" ? character.codePointAt(0) : undefined;
    const isOne = point !== undefined && String.fromCodePoint(point) === character;
    if (!isOne || (point >= firstHalf && point <= lastHalf)) throw new Error("is no character");
    return point < firstHalf ? point : point - halves;
  },
);
