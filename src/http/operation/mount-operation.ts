import type { AnyElysia } from "elysia";
import type { Deps } from "../deps";
import { jsonHeaders } from "../edge/headers";
import { mount } from "../edge/mount";
import type { Route } from "../edge/request-context";
import { pageHeaders } from "../pages/html";
import { hasAccount, splitName } from "./facts";
import type { Operation } from "./operation";
import { declaring } from "./untrusted";

/** Adds an operation to `app` as a route. */
export function mountOperation(app: AnyElysia, deps: Deps, operation: Operation): void {
  const { name, rule, shares, isPage, returns, csv } = operation;
  const { method, path } = splitName(name);
  const route: Route = {
    name,
    ...{ rule, shares },
    format: isPage ? (method === "GET" ? "html" : "asked") : "json",
    status: Number(Object.keys(returns)[0] ?? 200),
    headers: new Headers({
      ...(isPage ? pageHeaders : jsonHeaders(path)),
      ...(isPrivate(operation) ? { "cache-control": "no-store" } : {}),
      ...(csv === undefined ? {} : { vary: "accept" }),
    }),
    metrics: deps.metrics.route(method, path),
    isLogged: !operation.isQuiet,
    isLenient: operation.isLenient,
    isStream: operation.isStream,
    takesQuery: operation.takesQuery,
  };
  mount(app, deps, route, declaring(operation, route.status));
}

/** Tells whether an operation belongs to an account, or hands out its credentials. */
const isPrivate = ({ name, rule: { access } }: Operation): boolean =>
  hasAccount(access) || (access === "none" && !name.startsWith("GET "));
