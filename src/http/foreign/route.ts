import type { AnyElysia } from "elysia";
import type { Deps } from "../deps";
import { jsonHeaders } from "../edge/headers";
import { mount } from "../edge/mount";
import type { RequestContext, Route } from "../edge/request-context";
import { free } from "../operation/facts";

/** The key of a source or of a project is the credential, and the route finds it by itself. */
const anybody = free("none");

/**
 * A path of another product's protocol. Its requests and answers have that product's form, so it is no operation and in
 * no document of ours; every site may call it, as it may call /track.
 */
export interface ForeignRoute {
  readonly method: "GET" | "POST";
  /** As operations write it. A `*` at its end stands for any rest of the path. */
  readonly path: string;
  handle(context: RequestContext): Promise<unknown>;
}

export function mountForeign(
  app: AnyElysia,
  deps: Deps,
  { method, path, handle }: ForeignRoute,
): void {
  const route: Route = {
    name: `${method} ${path}`,
    ...{ rule: anybody, shares: null },
    format: "json",
    status: 200,
    headers: new Headers(jsonHeaders(path)),
    metrics: deps.metrics.route(method, path),
    ...{ isLogged: false, isLenient: true, isStream: false, takesQuery: true },
  };
  mount(app, deps, route, handle);
}

/** A foreign route as far as preflights and wrong methods look at it. */
export const asOpen = ({ method, path }: ForeignRoute) => ({
  name: `${method} ${path}`,
  isPage: false,
  isStream: false,
  isForeign: true as const,
});
