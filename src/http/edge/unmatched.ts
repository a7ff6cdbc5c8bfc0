import { ApiError } from "../../domain/errors";
import type { Deps } from "../deps";
import { free } from "../operation/facts";
import type { Operation } from "../operation/operation";
import { pageHeaders } from "../pages/html";
import { likesBetterThanJson } from "./accept";
import { foreignPreflightHeaders, hasCors, jsonHeaders, preflightHeaders } from "./headers";
import { RequestContext, type Route } from "./request-context";
import { pathOf } from "./url";

interface Mounted {
  readonly method: string;
  /** The path as Elysia writes it: `/projects/:id`. */
  readonly path: string;
}

/** What counts of an operation here; foreign routes are like operations that answer everybody. */
type Named = Readonly<{ name: string; isForeign?: true }> & Pick<Operation, "isPage" | "isStream">;

/** Clients of the protocol look for these alone, to learn that there is no stream and no session to end. */
const mcpMethods: readonly string[] = ["POST"];

const nobody = free("none");

/**
 * Answers what no route took: preflights, known paths with a wrong method, and unknown paths. A fault that a route
 * could not answer itself comes here too.
 */
export function unmatched(deps: Deps, mounted: readonly Mounted[], operations: readonly Named[]) {
  const patterns = methodsByPattern(mounted, operations);
  const metrics = deps.metrics.route("other", "unmatched");

  /** The address of the page that a person means who types a slash at its end; null if there is no such page. */
  function pageWithoutSlash({ method, url }: Request, pathname: string): string | null {
    if ((method !== "GET" && method !== "HEAD") || !pathname.endsWith("/")) return null;
    const path = pathname.slice(0, -1);
    const isPage = patterns.some(
      ({ pattern, methods, isOpen }) => !isOpen && methods.includes("GET") && pattern.test(path),
    );
    const query = url.indexOf("?");
    return isPage ? path + (query === -1 ? "" : url.slice(query)) : null;
  }

  return async (request: Request, fault: unknown = null): Promise<Response> => {
    const pathname = pathOf(request);
    const found = patterns.find(({ pattern }) => pattern.test(pathname));
    const isOpen = found === undefined ? hasCors(pathname) : found.isOpen;
    const isPage =
      pathname.startsWith("/app/") || (found === undefined && isAskedByPerson(request));
    const route: Route = {
      name: "unmatched",
      ...{ rule: nobody, shares: null },
      format: isPage ? "html" : "json",
      status: 404,
      headers: new Headers(isPage ? pageHeaders : isOpen ? jsonHeaders(pathname) : {}),
      metrics,
      ...{ isLogged: false, isLenient: true, isStream: false, takesQuery: true },
    };
    const context = new RequestContext(deps, route, request, {});
    if (fault !== null) return context.refuse(fault);
    const page = found === undefined ? pageWithoutSlash(request, pathname) : null;
    if (page !== null) {
      return context.answer(new Response(null, { status: 308, headers: { location: page } }));
    }
    if (found === undefined) {
      const message = isPage
        ? "This page does not exist."
        : "This path does not exist. GET /openapi.json lists all operations.";
      return context.refuse(new ApiError("NOT_FOUND", message));
    }
    if (request.method === "OPTIONS" && isOpen) {
      const headers = found.isForeign ? foreignPreflightHeaders : preflightHeaders;
      return context.answer(new Response(null, { status: 204, headers }));
    }
    const allow = (pathname === "/mcp" ? mcpMethods : found.methods).join(", ");
    return context.refuse(
      new ApiError("METHOD_NOT_ALLOWED", `This path does not support this method. Use ${allow}.`),
      {
        allow,
      },
    );
  };
}

/** Browsers say that they like HTML better; programs get JSON. */
const isAskedByPerson = ({ method, headers }: Request): boolean =>
  (method === "GET" || method === "HEAD") && likesBetterThanJson("text/html", headers);

/**
 * Paths that are spelled out, with methods that only a pattern has which takes them too: PATCH of /experiments/config
 * is no change of an experiment.
 */
export function shadowed(mounted: readonly Mounted[]): readonly Mounted[] {
  const isPattern = ({ path }: Mounted): boolean => path.includes(":");
  const patterns = mounted
    .filter(isPattern)
    .map(({ method, path }) => ({ method, form: formOf(path) }));
  const own = new Set(mounted.map(({ method, path }) => `${method} ${path}`));
  const paths = new Set(mounted.filter((route) => !isPattern(route)).map(({ path }) => path));
  return [...paths].flatMap((path) =>
    patterns
      .filter(({ method, form }) => form.test(path) && !own.has(`${method} ${path}`))
      .map(({ method }) => ({ method, path })),
  );
}

interface Known {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
  /** Tells whether other sites may call it. */
  readonly isOpen: boolean;
  /** Tells whether clients of other products call it. */
  readonly isForeign: boolean;
}

function methodsByPattern(
  mounted: readonly Mounted[],
  operations: readonly Named[],
): readonly Known[] {
  const named = new Map<string, Named>(operations.map((one) => [one.name, one]));
  const isApi = (name: string): boolean => named.get(name)?.isPage === false;
  const paths = new Map<string, string[]>();
  for (const { method, path } of mounted) paths.set(path, [...(paths.get(path) ?? []), method]);
  const known = [...paths].map(([path, methods]) => {
    const name = path.replace(/:(\w+)/g, "{$1}");
    const isOpen = hasCors(path) && methods.some((method) => isApi(`${method} ${name}`));
    return {
      path,
      isOpen,
      isForeign: methods.some((method) => named.get(`${method} ${name}`)?.isForeign === true),
      methods: allowedMethods(methods, isOpen, named.get(`GET ${name}`)?.isStream === true),
      pattern: formOf(path),
    };
  });
  // Paths that are spelled out come before patterns that take them too, as they do in the router.
  return known.sort((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")));
}

/** `*` stands for any rest of a path, if it is no part of a name. */
const formOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.*]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replace(/\/\\\*$/, "/.*")}$`,
  );

function allowedMethods(
  methods: readonly string[],
  isOpen: boolean,
  isStream: boolean,
): readonly string[] {
  const all = [...methods];
  if (methods.includes("GET") && !isStream) all.push("HEAD");
  if (isOpen) all.push("OPTIONS");
  return all.sort();
}
