import { isObject } from "../http/operation/input";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The answer with the ends of its longest lists and objects left out, until its JSON fits; the same answer where it
 * does.
 */
export function fittingAnswer(answer: Fields, charsMax: number): Fields {
  const chars = new Map(
    Object.entries(answer).map(([name, value]) => [name, fieldChars(name, value)]),
  );
  let left = charsMax - bracesChars - [...chars.values()].reduce((sum, one) => sum + one, 0);
  if (left >= 0) return answer;
  const fitting = new Map(Object.entries(answer));
  // Each turn halves what is longest, so there are few.
  while (left < 0 && chars.size > 0) {
    const [name, before] = [...chars].reduce((a, b) => (b[1] > a[1] ? b : a));
    const halved = halfOf(fitting.get(name));
    const after = halved === undefined ? 0 : fieldChars(name, halved);
    if (halved === undefined) {
      fitting.delete(name);
      chars.delete(name);
    } else {
      fitting.set(name, halved);
      chars.set(name, after);
    }
    left += before - after;
  }
  return Object.fromEntries(fitting);
}

const bracesChars = 2;
/** The length of a field as JSON, with its colon and comma. */
const fieldChars = (name: string, value: unknown): number =>
  JSON.stringify(name).length + JSON.stringify(value).length + 2;

/** The first half of a list's items or an object's fields; of a single one, its half. */
function halfOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length > 1) return value.slice(0, value.length >> 1);
    const half = halfOf(value[0]);
    return half === undefined ? undefined : [half];
  }
  if (!isObject(value)) return undefined;
  const fields = Object.entries(value);
  if (fields.length > 1) return Object.fromEntries(fields.slice(0, fields.length >> 1));
  const [first] = fields;
  const half = first === undefined ? undefined : halfOf(first[1]);
  return first === undefined || half === undefined ? undefined : { [first[0]]: half };
}
