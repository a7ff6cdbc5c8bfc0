import { isObject } from "../http/operation/input";

type Fields = Readonly<Record<string, unknown>>;

/** The answer with the ends of its longest lists and objects left out, until its JSON fits. */
export function fittingAnswer(answer: Fields, charsMax: number): Fields {
  let fitting = answer;
  // Each turn halves what is longest, so there are few.
  while (JSON.stringify(fitting).length > charsMax) {
    const longest = Object.entries(fitting)
      .map(([name, value]) => ({ name, chars: JSON.stringify(value).length }))
      .reduce((a, b) => (b.chars > a.chars ? b : a), { name: "", chars: 0 });
    const halved = halfOf(fitting[longest.name]);
    const { [longest.name]: _, ...others } = fitting;
    fitting = halved === undefined ? others : { ...fitting, [longest.name]: halved };
  }
  return fitting;
}

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
