import type { AnyElysia } from "elysia";
import type { Deps } from "../deps";
import { mount } from "../edge/mount";
import type { RequestContext, Route } from "../edge/request-context";
import type { StaticFile } from "../edge/static-file";
import { begin } from "../operation/checks";
import { free } from "../operation/facts";
import { htmlType, pageHeaders } from "./html";

/** Pages are no operations of the index: whom they are for, they find out themselves. */
const anybody = free("none");

/**
 * A page for people, or a script or style of one. Its headers are strict (html.ts) unless the response brings its own;
 * its errors are pages; it is not in the OpenAPI document, and other sites get no access to it.
 */
export interface Page {
  readonly path: string;
  handle(context: RequestContext): Response | Promise<Response>;
}

export const page = (path: string, handle: Page["handle"]): Page => ({ path, handle });

/** A page that is the same for everybody. */
export const shownPage = (path: string, html: string): Page =>
  page(path, () => new Response(html, { headers: { "content-type": htmlType } }));

export const filePage = (path: string, file: StaticFile): Page =>
  page(path, ({ request }) => file.respond(request));

export function mountPage(app: AnyElysia, deps: Deps, { path, handle }: Page): void {
  const route: Route = {
    name: `GET ${path}`,
    ...{ rule: anybody, shares: null },
    format: "html",
    status: 200,
    headers: new Headers(pageHeaders),
    metrics: deps.metrics.route("GET", path),
    ...{ isLogged: true, isLenient: true, isStream: false, takesQuery: true },
  };
  mount(app, deps, route, async (context) => {
    begin(context);
    return await handle(context);
  });
}
