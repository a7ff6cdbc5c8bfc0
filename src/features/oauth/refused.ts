import { reply } from "../../http/edge/reply";
import type { OauthRefusal } from "./schema";

type Code = OauthRefusal["error"];

/** The refusals of a client, in the words of RFC 6749, 7591 and 8707. */
export class Refused extends Error {
  constructor(
    readonly code: Code,
    message: string,
    readonly status: 400 | 401 = 400,
  ) {
    super(message);
    this.name = "Refused";
  }
}

/** The answer to a client that speaks this protocol, where errors have a form of their own. */
export async function inOauthWords<const T>(status: number, work: () => T | Promise<T>) {
  try {
    return reply(status, await work());
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const headers = error.status === 401 ? { "www-authenticate": "Basic" } : {};
    return reply(
      error.status,
      { error: error.code, error_description: error.message },
      { ...headers },
    );
  }
}

/** One value of a field of a form or query; null when it is absent or empty. Throws for one that comes twice. */
export function only(fields: URLSearchParams, name: string): string | null {
  const values = fields.getAll(name);
  if (values.length > 1)
    throw new Refused("invalid_request", `${name} was sent twice. Send it once.`);
  return values[0] || null;
}
