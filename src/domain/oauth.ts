import { isLongerThan } from "../lib/text";

/*
 * A browser may be sent with a code to a program on the person's own machine, to a site of a known client, or to an
 * application that has registered a scheme of its own.
 */

const redirectCharsMax = 2_000;

const applicationSchemes: ReadonlySet<string> = new Set(["cursor:", "vscode:", "vscode-insiders:"]);

const loopbackHosts: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** http on this very machine: whoever listens there is a program of the person. */
export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && loopbackHosts.has(hostname);

/** An absolute address that can take parameters; null for what is none. */
export function redirectOf(text: string): URL | null {
  if (isLongerThan(text, redirectCharsMax) || text.includes("#") || !URL.canParse(text))
    return null;
  const url = new URL(text);
  return url.username === "" && url.password === "" ? url : null;
}

interface RedirectRules {
  /** The origins that are allowed; null where every https origin is. */
  readonly listedOrigins: readonly string[] | null;
  /** The origin of the document that a client shows for itself. */
  readonly documentOrigin: string | null;
}

export function isAllowedRedirect(
  url: URL,
  { listedOrigins, documentOrigin }: RedirectRules,
): boolean {
  if (isLoopback(url) || applicationSchemes.has(url.protocol)) return true;
  if (url.protocol !== "https:") return false;
  return (
    listedOrigins === null || listedOrigins.includes(url.origin) || url.origin === documentOrigin
  );
}

/** Tells whether the client has registered a redirect. A program may listen on whatever port is free. */
export function isRegistered(redirect: URL, text: string, registered: readonly string[]): boolean {
  if (registered.includes(text)) return true;
  if (!isLoopback(redirect)) return false;
  return registered.some((one) => {
    const known = redirectOf(one);
    return known !== null && isLoopback(known) && portless(known) === portless(redirect);
  });
}

function portless(url: URL): string {
  const copy = new URL(url);
  copy.port = "";
  return copy.href;
}

/** A redirect's place as a person is shown it: a host, or an application by its scheme. */
export const shownPlaceOf = ({ protocol, host }: URL): string =>
  /^https?:$/.test(protocol) ? host : `${protocol}//${host}`;

/** The callback with our parameters behind its own; one of its own that has the name of ours gives way. */
export function withParameters(
  callback: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const url = new URL(callback);
  // The query is handled as text, as parsing and writing it again would change its spelling.
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((part) => part !== "" && !Object.hasOwn(parameters, nameOf(part)));
  const added = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  url.search = [...kept, ...added].join("&");
  return url.href;
}

const nameOf = (part: string): string => [...new URLSearchParams(part).keys()][0] ?? "";
