import { isObject } from "./input";

type Json = Readonly<Record<string, unknown>>;

const errorSchema = "#/components/schemas/Error";

/**
 * Refusals with the same status and codes become one component, to which the operations refer: written out at each of
 * them they were two fifths of the document.
 */
export class SharedErrors {
  /** By their text. */
  readonly #names = new Map<string, string>();
  readonly #components = new Map<string, unknown>();

  /** An operation with its refusals as references. */
  shorten(operation: Json): Json {
    if (!isObject(operation.responses)) return operation;
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      isRefusal(status, response) ? { $ref: this.#refOf(status, response) } : response,
    ]);
    return { ...operation, responses: Object.fromEntries(responses) };
  }

  get components(): Json {
    return Object.fromEntries(this.#components);
  }

  #refOf(status: string, response: unknown): string {
    const text = `${status} ${JSON.stringify(response)}`;
    const name = this.#names.get(text) ?? this.#nextName(status);
    this.#names.set(text, name);
    this.#components.set(name, response);
    return `#/components/responses/${name}`;
  }

  /** `403`, `403.2`, `403.3` … */
  #nextName(status: string): string {
    const count = [...this.#components.keys()].filter((name) => name.startsWith(status)).length;
    return count === 0 ? status : `${status}.${count + 1}`;
  }
}

/** What has an answer of its own beside the error, as /health/ready has, stays where it is. */
const isRefusal = (status: string, response: unknown): boolean =>
  Number(status) >= 400 && JSON.stringify(response).includes(`"schema":{"$ref":"${errorSchema}"}`);
