/** What a reader of JSON cannot see, code point by code point; below U+0020 nothing may stand in a JSON text either. */
export const hiddenPoints: readonly number[] = [
  ...[[0x7f, 0x9f], [0xad], [0x34f], [0x61c], [0x115f, 0x1160], [0x17b4, 0x17b5]],
  ...[[0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x3164]],
  ...[[0xfe00, 0xfe0f], [0xfeff], [0xffa0], [0xfff0, 0xfffb], [0x1bca0, 0x1bca3]],
  ...[
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe0fff],
  ],
].flatMap(([first = 0, last = first]) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at),
);
const hidden = new Set(hiddenPoints);

/** The hidden code points that stand in a text as they are. */
export const hiddenIn = (text: string): number[] =>
  Array.from(text, (one) => one.codePointAt(0) ?? 0).filter(
    (point) => point < 0x20 || hidden.has(point),
  );
