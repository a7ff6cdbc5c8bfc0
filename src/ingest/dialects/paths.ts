import type { SourceKind } from "../../domain/source";
import type { Dialect, Endpoint } from "./dialect";
import { dialects } from "./list";

/** An endpoint and whose it is. */
export interface Placed {
  readonly dialect: Dialect;
  readonly endpoint: Endpoint;
}

/** The endpoint that a request asks for, with the part of the path that it reads. */
export interface Found extends Placed {
  readonly pathKey: string;
}

export const placed: readonly Placed[] = dialects.flatMap((dialect) =>
  dialect.endpoints.map((endpoint) => ({ dialect, endpoint })),
);

const byKind: ReadonlyMap<SourceKind, readonly Placed[]> = new Map(
  dialects.map(({ kind }) => [kind, placed.filter(({ dialect }) => dialect.kind === kind)]),
);

/** Finds what lies at a path below the prefix of a source; null where its dialect has nothing. */
export function endpointAt(path: string, kind: SourceKind): Found | null {
  const own = tidyPath(path);
  for (const { dialect, endpoint } of byKind.get(kind) ?? []) {
    const pathKey = keyIn(own, endpoint.path);
    if (pathKey !== null) return { dialect, endpoint, pathKey };
  }
  return null;
}

/**
 * The dialect that a path belongs to, where no source tells it. Two have `/track`: it is the address of every client of
 * Mixpanel, and one that clients of PostHog have given up, so the last dialect of the list has it.
 */
export function dialectAt(path: string): Dialect | null {
  const own = tidyPath(path);
  return placed.findLast(({ endpoint }) => keyIn(own, endpoint.path) !== null)?.dialect ?? null;
}

/** Slashes at the end mean nothing; one too many at the beginning comes of an address that was set with one. */
const tidyPath = (path: string): string => `/${path.replace(/^\/+|\/+$/g, "")}`;

/** The text that stands for `{key}`, empty where the pattern has none; null where the path is another one. */
function keyIn(path: string, pattern: string): string | null {
  const [before = "", after] = pattern.split("{key}");
  if (after === undefined) return path === pattern ? "" : null;
  const isLikeIt =
    path.length > before.length + after.length && path.startsWith(before) && path.endsWith(after);
  const key = isLikeIt ? path.slice(before.length, path.length - after.length) : "/";
  return key.includes("/") ? null : key;
}
