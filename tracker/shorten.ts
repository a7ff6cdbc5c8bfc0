import { firstOf, type Properties } from "./clean";
import { say } from "./dev";
import { bytesOf, write } from "./json";

/** Bytes as JSON, of texts that the tracker finds by itself. Together they fit into the 8,192 bytes of an event. */
const bytesMax: Readonly<Record<string, number>> = {
  url: 1200,
  href: 1200,
  path: 1000,
  referrer: 1000,
  title: 300,
  page: 300,
  message: 500,
  source: 500,
  action: 500,
  filename: 500,
};
const otherBytesMax = 200;
/** No character takes more as JSON. */
const characterBytesMax = 6;

/** A title, an address or a campaign may be of any length: its end is cut off, and never a character in two. */
export const shorten = (properties: Properties): Properties => {
  const short: Properties = {};
  for (const key in properties) short[key] = cut(key, properties[key]);
  return short;
};

export const cut = (key: string, value: unknown): unknown => {
  if (typeof value !== "string") return value;
  const max = bytesMax[key] || otherBytesMax;
  const characters = firstOf(value, max);
  let text: string;
  let excess: number;
  do {
    text = characters.join("");
    // The quotes do not count.
    excess = bytesOf(write(text)) - 2 - max;
    characters.splice(characters.length - Math.ceil(excess / characterBytesMax));
  } while (excess > 0);
  if (text !== value) say("cut", key, text);
  return text;
};
