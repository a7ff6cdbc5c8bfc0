import { trustKeyword } from "../../lib/schema";
import { Reply } from "../edge/reply";
import type { Node } from "./input";
import type { Operation } from "./operation";

/**
 * What of an answer was written by strangers, as its schema says: anybody with the public token of a project can write
 * text that a program reads later, which is data and never an instruction.
 */

const headerCharsMax = 1_000;

/** A place of the schema: `events[].event`, and the names on the way to it, lists with their bracket. */
interface Untrusted {
  readonly path: string;
  /** Texts that stand in the JSON where there is such a value. */
  readonly signs: readonly string[];
}

/** The answer of a read, with the header that names what strangers wrote of it. CSV is no JSON. */
export function declared<Answer>(
  { returns }: Pick<Operation, "returns">,
  answer: Reply<Answer>,
): Reply<Answer> {
  if (answer.headers["content-type"] !== undefined) return answer;
  const present = untrustedIn(returns)
    .filter(({ signs }) => signs.every((sign) => answer.json.includes(sign)))
    .map(({ path }) => path);
  if (present.length === 0) return answer;
  const headers = { ...answer.headers, "x-untrusted-fields": joined(present) };
  return new Reply(answer.status, answer.json, headers, answer.value);
}

/** As many as fit, whole. */
function joined(paths: readonly string[]): string {
  let text = "";
  for (const path of paths) {
    const longer = text === "" ? path : `${text}, ${path}`;
    if (longer.length > headerCharsMax) break;
    text = longer;
  }
  return text;
}

function untrustedIn(returns: Operation["returns"]): readonly Untrusted[] {
  const known = found.get(returns);
  if (known !== undefined) return known;
  const places = new Map<string, Untrusted>();
  for (const schema of Object.values(returns)) collect(schema, { path: "", signs: [] }, places);
  const list = [...places.values()];
  found.set(returns, list);
  return list;
}
const found = new WeakMap<Operation["returns"], readonly Untrusted[]>();

function collect(node: Node, at: Untrusted, places: Map<string, Untrusted>): void {
  if (node[trustKeyword] === "visitor") places.set(at.path, at);
  for (const branch of node.anyOf ?? []) collect(branch, at, places);
  if (node.items !== undefined) collect(node.items, inList(at), places);
  for (const [name, one] of Object.entries(node.properties ?? {})) {
    // What nodes of a tree have below them is written once.
    if (name === "children" && at.path.endsWith("[]")) continue;
    collect(one, inField(at, name), places);
  }
  for (const one of valuesOf(node)) collect(one, { ...at, path: `${at.path}.*` }, places);
}

const inList = ({ path, signs }: Untrusted): Untrusted => ({
  path: `${path}[]`,
  // An empty list has no such text.
  signs: signs.map((sign, index) =>
    index === signs.length - 1 && sign.endsWith(":") ? `${sign}[` : sign,
  ),
});
const inField = ({ path, signs }: Untrusted, name: string): Untrusted => ({
  path: path === "" ? name : `${path}.${name}`,
  signs: [...signs, `"${name}":`],
});

const valuesOf = (node: Node): readonly Node[] =>
  "patternProperties" in node && typeof node.patternProperties === "object"
    ? Object.values(node.patternProperties ?? {})
    : [];
