import { visibleText } from "./visible-text";

/**
 * The parts of a text that a program or a reader of Markdown would follow, fetch or run: links, images, markup, fences
 * of code, and addresses that are found without any markup. They are matched in a visible text, so nothing hidden
 * stands between.
 */
const active =
  /(?<=\])\(|<(?=[a-z/!])|`{3,}|(?<=:)\/(?=\/([^\s/?#]*))|(?<=www)\.|(?<=mailto|javascript|data):/gi;

/**
 * A text that does nothing where it is shown: as `visibleText`, and one character of whatever is active stands as
 * `\u{HEX}`. Addresses of `ownHost` stay. Two texts stay two, and `storedText` leads back.
 */
export const inertText = (text: string, ownHost: string | null = null): string =>
  visibleText(text).replace(active, (found: string, host: string | undefined) =>
    found === "/" && host !== undefined && host.toLowerCase() === ownHost ? found : escaped(found),
  );

const escaped = (found: string): string =>
  Array.from(found, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`).join(
    "",
  );

const codePointMax = 0x10ffff;

/** The text that an inert or a visible one was made of. */
export const storedText = (shown: string): string =>
  shown.replace(/\\u\{([0-9A-Fa-f]{1,6})\}/g, (found, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point > codePointMax ? found : String.fromCodePoint(point);
  });
