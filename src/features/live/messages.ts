import { socketMessageBytesMax } from "../../domain/limits";
import { refuseUnknown } from "../../domain/unknown-fields";
import { isObject } from "../../http/operation/input";

/** The messages of a client on a socket. */
export type ClientMessage =
  | { readonly type: "auth"; readonly token: string }
  | { readonly type: "ping" }
  | {
      readonly type: "subscribe";
      readonly project: string | null;
      readonly events: readonly string[];
      readonly filter: Readonly<Record<string, unknown>>;
    }
  /** The message may be one of a later version. */
  | { readonly type: "unknown" };

/**
 * Reads a message. It is null when malformed: no JSON object, too long, or a field of a wrong JSON type. An unknown
 * field of a subscription is refused, as otherwise more events would pass than the client asked for.
 */
export function parseMessage(message: string | Buffer): ClientMessage | null {
  if (typeof message !== "string" || Buffer.byteLength(message) > socketMessageBytesMax)
    return null;
  const json = jsonOf(message);
  if (!isObject(json) || typeof json.type !== "string") return null;
  switch (json.type) {
    case "auth":
      return typeof json.token === "string" ? { type: "auth", token: json.token } : null;
    case "ping":
      return { type: "ping" };
    case "subscribe":
      return subscribeOf(json);
    default:
      return { type: "unknown" };
  }
}

/** Null is the same as absent, as everywhere. */
function subscribeOf(json: Readonly<Record<string, unknown>>): ClientMessage | null {
  const sent = Object.keys(json).filter((key) => json[key] !== null);
  refuseUnknown(sent, ["type", "project", "events", "filter"], { what: "field" });
  const project = json.project ?? null;
  const events = json.events ?? [];
  const filter = json.filter ?? {};
  if (project !== null && typeof project !== "string") return null;
  if (!isNames(events) || !isObject(filter)) return null;
  return { type: "subscribe", project: project === "" ? null : project, events, filter };
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
