import type { AnyElysia } from "elysia";
import { ApiError } from "../../domain/errors";
import type { Deps } from "../deps";
import { RequestContext, type Route } from "./request-context";

/**
 * A route of `app`, whose parser and validators stay out of it: they would run before the credential is
 * looked at. Whatever happens in `work` ends as an answer here.
 */
export function mount(
  app: AnyElysia,
  deps: Deps,
  route: Route,
  work: (context: RequestContext) => Promise<unknown>,
): void {
  const { method, route: pattern } = route.metrics;
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  app.route(
    method,
    pattern.replace(/\{(\w+)\}/g, ":$1"),
    async ({ request, params }) => {
      // Elysia has no params at all where the path has none.
      const parts: Readonly<Record<string, string>> = names.length === 0 ? noParts : params;
      const context = new RequestContext(deps, route, request, parts);
      try {
        // The router gives no text for a part that is no valid percent-encoding.
        if (names.some((name) => typeof parts[name] !== "string")) throw malformedPath();
        if (request.method === "HEAD" && route.isStream) {
          return await context.refuse(withoutHead, { allow: "GET, OPTIONS" });
        }
        const answer = context.answer(await work(context));
        return answer instanceof Response ? answer : await answer;
      } catch (error) {
        return await context.refuse(error);
      } finally {
        context.end();
      }
    },
    { parse: "none" },
  );
}

const noParts = {};

const withoutHead = new ApiError("METHOD_NOT_ALLOWED", "Streams do not support HEAD. Use GET.");

const malformedPath = (): ApiError =>
  new ApiError(
    "NOT_FOUND",
    "The path is not valid percent-encoding. Encode it and send the request again.",
  );
