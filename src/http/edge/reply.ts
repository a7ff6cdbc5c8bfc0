/** An answer with a status or headers of its own. Handlers that need neither return the bare value. */
export class Reply<T> {
  constructor(
    readonly status: number,
    /** The answer as JSON text; `value` tells the compiler what it is the text of. */
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
