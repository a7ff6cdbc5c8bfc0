import { assert } from "../../lib/assert";

/** An answer with a status or headers of its own. Handlers that need neither return the bare value. */
export class Reply<T> {
  constructor(
    readonly status: number,
    /** Its text, JSON unless `headers` name another type; `value` tells the compiler what it is the text of. */
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly value?: T,
  ) {}
}

export function reply<const T>(
  status: number,
  value: T,
  headers: Readonly<Record<string, string>> = {},
): Reply<T> {
  return new Reply<T>(status, JSON.stringify(value), headers);
}

/** Returns the reply of a handler, which may have returned a bare value. */
export function replyOf(result: unknown, status: number): Reply<unknown> {
  if (result instanceof Reply) return result;
  const json = JSON.stringify(result);
  assert(typeof json === "string", "a handler answers with something that has a JSON form");
  return new Reply(status, json);
}
