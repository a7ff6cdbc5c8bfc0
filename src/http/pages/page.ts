import type { Deps } from "../deps";
import { mount } from "../edge/mount";
import type { RequestContext, Route } from "../edge/request-context";
import { begin } from "../operation/checks";
import type { AccessRule } from "../operation/endpoint-index";
import { pageHeaders } from "./html";

/** Pages are no operations of the index: whom they are for, they find out themselves. */
const anybody: AccessRule = { access: "none", plan: "free", read: false, demo: false };

/**
 * A page for people, or a script or style of one. Its headers are strict (html.ts) unless the response brings its own;
 * its errors are pages; it is not in the OpenAPI document, and other sites get no access to it.
 */
export function page(
  deps: Deps,
  path: string,
  handle: (context: RequestContext) => Response | Promise<Response>,
) {
  const route: Route = {
    name: `GET ${path}`,
    rule: anybody,
    format: "html",
    status: 200,
    headers: new Headers(pageHeaders),
    metrics: deps.metrics.route("GET", path),
    isLogged: true,
  };
  const work = async (context: RequestContext): Promise<Response> => {
    begin(context);
    return await handle(context);
  };
  return mount(deps, route, work, { hide: true });
}
