import { type AnyElysia, Elysia } from "elysia";
import { features } from "./features/index";
import { docsRoutes } from "./features/service/docs";
import type { Deps } from "./http/deps";
import { unmatched } from "./http/unmatched";

/** Everything that answers requests. `serve` listens with it, tests call `handle`. */
export function createApp(deps: Deps) {
  const app: AnyElysia = new Elysia({
    name: "sightline",
    // A path has one spelling, and hosts may be as short as they like.
    strictPath: true,
    handler: { standardHostname: false },
  });
  for (const feature of features) app.use(feature(deps));
  app.use(docsRoutes(deps, () => app));

  // Routes answer their own errors: what arrives here was taken by none of them.
  let answerUnmatched: ReturnType<typeof unmatched> | undefined;
  app.onError(({ request }) => {
    answerUnmatched ??= unmatched(deps, app.routes);
    return answerUnmatched(request);
  });
  return app;
}
