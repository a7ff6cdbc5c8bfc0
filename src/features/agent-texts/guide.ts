import { type OperationName, splitName } from "../../http/operation/facts";
import type { Operation } from "../../http/operation/operation";
import { assert } from "../../lib/assert";

type Fields = Readonly<Record<string, unknown>>;

/** Operations as the texts for agents name them: by their own words, with requests that can be copied. */
export class Guide {
  readonly #operations: ReadonlyMap<string, Operation>;

  constructor(
    readonly baseUrl: string,
    operations: readonly Operation[],
  ) {
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]));
  }

  /** The demo, for one, may be switched off. */
  has(name: OperationName): boolean {
    return this.#operations.has(name);
  }

  summaryOf(name: OperationName): string {
    return this.#named(name).doc.summary;
  }

  /** A whole request: the line that is asked and, below it, the body. */
  request(name: OperationName, input: Fields | null = this.#example(name)): string {
    const { method, path } = splitName(name);
    const address = `${method} ${this.baseUrl}${path}`;
    if (input === null) return address;
    if (!this.#named(name).takesQuery) return `${address}\n${JSON.stringify(input)}`;
    const query = Object.entries(input).map(([field, value]) => `${field}=${String(value)}`);
    return `${address}?${query.join("&")}`;
  }

  /** The operation's own example; of one without, what it cannot do without. */
  #example(name: OperationName): Fields | null {
    const { doc, takes } = this.#named(name);
    if (doc.example !== undefined) return doc.example.input;
    return takes.required?.includes("project") === true ? { project: "shop" } : null;
  }

  #named(name: OperationName): Operation {
    const found = this.#operations.get(name);
    assert(found !== undefined, `the texts for agents name ${name}, which is served`);
    return found;
  }
}

export const inFence = (kind: string, text: string): string => `\`\`\`${kind}\n${text}\n\`\`\``;
