import { trustKeyword } from "../../lib/schema";
import { isObject, type Node } from "./input";
import type { Operation } from "./operation";

/**
 * The writer of a part of an answer, as its schemas say. `bounded` is a text that an enum, a constant or a pattern
 * leaves no room in.
 */
export type Writer = "visitor" | "owner" | "server" | "bounded";

/** A place of an answer: the same for all items of a list, and for all depths of a tree. */
export class Place {
  /** The writer of a text in this place. */
  text: Writer | null = null;
  /** The writer of everything in this place, keys included: an object that somebody has made. */
  whole: Writer | null = null;
  items: Place | null = null;
  /** Tells whether a visitor may have written something here, or below. */
  hasVisitors = false;
  readonly #fields = new Map<string, Place>();
  /** The places of names that patterns were asked about. */
  readonly #named = new Map<string, Place | null>();
  readonly #patterns = new Map<string, readonly [pattern: RegExp, place: Place]>();

  constructor(
    /** `events[].event`; of a field with a name of its own: `rows[].`, and the name follows. */
    readonly path: string,
  ) {}

  /** Returns the place of a field, or null for one that no schema knows. */
  field(name: string): Place | null {
    return this.#fields.get(name) ?? this.#byPattern(name);
  }

  get below(): readonly Place[] {
    const others = [...this.#patterns.values()].map(([, place]) => place);
    return [...this.#fields.values(), ...others, ...(this.items === null ? [] : [this.items])];
  }

  /** Tells whether a list of objects is in this place. */
  get isTable(): boolean {
    return this.items !== null && this.items.text === null && this.items.below.length > 0;
  }

  /** Tells whether the entries of a list have entries of the same kind below them. */
  get isTree(): boolean {
    return this.#fields.get("children")?.items === this;
  }

  /** Tells whether names that no schema lists may be fields here, as columns that a question chooses. */
  get hasFreeFields(): boolean {
    return this.#patterns.size > 0;
  }

  add(node: Node): void {
    const mark = writerOf(node[trustKeyword]);
    if (node.type === "string") this.text = stronger(this.text, mark ?? "bounded");
    else if (node.enum !== undefined) this.text = stronger(this.text, "bounded");
    else if (mark !== null) this.whole = stronger(this.whole, mark);
    for (const branch of node.anyOf ?? []) this.add(branch);
    if (node.items !== undefined) this.#listed().add(node.items);
    for (const [name, one] of Object.entries(node.properties ?? {}))
      this.#fieldNamed(name).add(one);
    if (this.whole !== null) return;
    for (const [pattern, one] of patternsOf(node)) this.#matching(pattern).add(one);
  }

  #byPattern(name: string): Place | null {
    if (this.#patterns.size === 0) return null;
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const found = [...this.#patterns.values()].find(([pattern]) => pattern.test(name));
    const place = found?.[1] ?? null;
    // Names are those of columns that somebody asked for.
    if (this.#named.size >= namesKeptMax) this.#named.clear();
    this.#named.set(name, place);
    return place;
  }

  #listed(): Place {
    this.items ??= new Place(`${this.path}[]`);
    return this.items;
  }

  #fieldNamed(name: string): Place {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const made = new Place(this.path === "" ? name : `${this.path}.${name}`);
    // The nodes of a tree have the like below them.
    if (name === "children" && this.path.endsWith("[]")) made.items = this;
    this.#fields.set(name, made);
    return made;
  }

  #matching(pattern: string): Place {
    const [, known] = this.#patterns.get(pattern) ?? [];
    if (known !== undefined) return known;
    const made = new Place(`${this.path}.`);
    this.#patterns.set(pattern, [new RegExp(pattern), made]);
    return made;
  }
}

const namesKeptMax = 1_000;

/** Returns the marks of everything that an operation answers, with any status. */
export function marksOf({ returns }: Pick<Operation, "returns">): Place {
  const known = made.get(returns);
  if (known !== undefined) return known;
  const root = new Place("");
  for (const schema of Object.values(returns)) root.add(schema);
  const all = allBelow(root);
  // A tree is below itself, so that what is known of it may have to be told once more.
  for (let told = -1, before = -2; told !== before; ) {
    before = told;
    for (const one of all.toReversed()) {
      one.hasVisitors ||= isVisitors(one) || one.below.some(({ hasVisitors }) => hasVisitors);
    }
    told = all.filter(({ hasVisitors }) => hasVisitors).length;
  }
  made.set(returns, root);
  return root;
}
const made = new WeakMap<Operation["returns"], Place>();

const isVisitors = ({ text, whole }: Place): boolean => text === "visitor" || whole === "visitor";

function allBelow(root: Place): readonly Place[] {
  const all = new Set([root]);
  // A set goes on to what is added while it is walked through.
  for (const one of all) for (const next of one.below) all.add(next);
  return [...all];
}

const writers: readonly Writer[] = ["visitor", "owner", "server", "bounded"];
const writerOf = (mark: string | undefined): Writer | null =>
  writers.find((one) => one === mark) ?? null;

/** A text that may have several writers is taken to be of the one who is trusted least. */
const stronger = (one: Writer | null, other: Writer): Writer =>
  one !== null && writers.indexOf(one) < writers.indexOf(other) ? one : other;

/** Returns the schemas for fields whose names an object does not list, those of a pattern before all others. */
function patternsOf(node: Node): readonly (readonly [pattern: string, node: Node])[] {
  const { additionalProperties: others } = node;
  const patterns =
    "patternProperties" in node && isObject(node.patternProperties) ? node.patternProperties : {};
  return [
    ...Object.entries(patterns).filter((one): one is [string, Node] => isObject(one[1])),
    ...(isObject(others) ? [["", others] as const] : []),
  ];
}
