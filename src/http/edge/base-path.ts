/*
 * A server below a path takes requests with the path and without.
 * Decision: PUBLIC_URL may have a path. It is taken off where a request comes in, and put before the addresses in
 * pages, redirects and cookies where an answer goes out; everything between knows the paths of a server at a root.
 * Because: some proxies pass the path on and some cut it off, and a page that forgot it would lead to another program.
 * Cost: every page is searched for addresses as it goes out; only on servers that have such a path.
 */

import type { Config } from "../../config";
import { ConfigError } from "../../config-error";
import { likesBetterThanJson } from "./accept";
import { pathOf } from "./url";

type Based = Pick<Config, "basePath">;

/** The path in which a browser sends our cookies back. */
export const cookiePathOf = ({ basePath }: Based): string => `${basePath}/`;

/** RFC 8414 and RFC 9728 put the path of a server behind the well-known name, at the root of its origin. */
const wellKnown = /^\/\.well-known\/[\w-]+/;

/** The path at the root of the origin where a client looks for a document about a path of this server. */
export const wellKnownAt = ({ basePath }: Based, name: string, path: string): string =>
  `/.well-known/${name}${basePath}${path}`;

/**
 * Gives a request the path that it would have at a root. It stays the same object, as the listener knows the socket by
 * it. `paths` are those that the server answers: a proxy that cuts the path off can leave one that equals it.
 */
export function takeBasePathOff(
  { basePath }: Based,
  request: Request,
  paths: ReadonlySet<string>,
): void {
  if (basePath === "") return;
  const path = pathOf(request);
  const own = ownPath(basePath, path, paths.has(path) && !isPerson(request));
  if (own === path) return;
  const start = request.url.startsWith("/") ? 0 : request.url.indexOf("/", "http://".length);
  const url = request.url.slice(0, start) + own + request.url.slice(start + path.length);
  Object.defineProperty(request, "url", { value: url, configurable: true });
}

function ownPath(basePath: string, path: string, isAnswered: boolean): string {
  if (path === basePath) return isAnswered ? path : "/";
  if (path.startsWith(`${basePath}/`)) return path.slice(basePath.length);
  const [name = ""] = wellKnown.exec(path) ?? [];
  const rest = path.slice(name.length);
  const isOfUs = name !== "" && (rest === basePath || rest.startsWith(`${basePath}/`));
  return isOfUs ? name + rest.slice(basePath.length) : path;
}

const isPerson = ({ headers }: Request): boolean => likesBetterThanJson("text/html", headers);

/** Throws ConfigError when the server answers paths below the base path itself: nobody could tell which is meant. */
export function refuseOwnPaths({ basePath }: Based, paths: Iterable<string>): void {
  if (basePath === "") return;
  const taken = [...paths].find((path) => path.startsWith(`${basePath}/`));
  if (taken === undefined) return;
  throw new ConfigError(
    `PUBLIC_URL has the path ${basePath}, but Sightline itself answers ${taken}. Choose another path.`,
  );
}

/** Puts the base path before the addresses in a page or a redirect. */
export async function withBasePath({ basePath }: Based, response: Response): Promise<Response> {
  const { headers } = response;
  const location = headers.get("location");
  if (location !== null && /^\/(?!\/)/.test(location)) headers.set("location", basePath + location);
  // A page with a tag is one of the documentation, whose addresses are relative.
  const isPage = headers.get("content-type")?.startsWith("text/html") && !headers.has("etag");
  if (!isPage) return response;
  return new Response(htmlWithBasePath({ basePath }, await response.text()), response);
}

/**
 * The same for the text of a page. Texts of others cannot have what is looked for, as their quotation marks are
 * escaped. Scripts find the path on the root element.
 */
export const htmlWithBasePath = ({ basePath }: Based, html: string): string =>
  basePath === ""
    ? html
    : html
        .replace(/(\s(?:href|src|action)=")(?=\/(?!\/))/g, `$1${basePath}`)
        .replace('<html lang="en">', `<html lang="en" data-base="${basePath}">`);
