import { type AnyElysia, Elysia } from "elysia";
import { eventsRead } from "./features/events/read";
import { features } from "./features/index";
import { openLive } from "./features/live/routes";
import { docsRoutes } from "./features/service/docs";
import { openWebsiteScans } from "./features/website-scans/routes";
import type { Deps } from "./http/deps";
import { shadowed, unmatched } from "./http/edge/unmatched";
import { openIngest } from "./ingest/routes";
import { secondMs } from "./lib/clock";

export interface App {
  readonly handle: (request: Request) => Response | Promise<Response>;
  readonly routes: AnyElysia["routes"];
  /** Says good-bye to streams and sockets. Called when the server begins to stop. */
  hangUp(): void;
  /** Ends website scans, writes what ingestion gathered in memory.
   * Called when the last request is answered, before the store closes. */
  close(): Promise<void>;
}

/** Everything that answers requests. `serve` listens with it, tests call `handle`. */
export function createApp(deps: Deps, liveLookMs = secondMs): App {
  const app: AnyElysia = new Elysia({
    name: "sightline",
    // A path has one spelling, and hosts may be as short as they like.
    strictPath: true,
    handler: { standardHostname: false },
  });
  const ingest = openIngest(deps);
  const live = openLive(deps, liveLookMs);
  const scans = openWebsiteScans(deps, eventsRead);
  app.use(ingest.routes);
  for (const feature of features) app.use(feature(deps));
  app.use(live.routes);
  app.use(scans.routes);
  app.use(docsRoutes(deps, () => app));

  // Routes answer their own errors: what arrives here was taken by none of them, or failed on the way out.
  const routes = [...app.routes];
  const answerUnmatched = unmatched(deps, routes);
  for (const { method, path } of shadowed(routes)) {
    app.route(method, path, async ({ request }) => await answerUnmatched(request), {
      detail: { hide: true },
    });
  }
  app.onError(
    async ({ code, error, request }) =>
      await answerUnmatched(request, code === "NOT_FOUND" ? null : error),
  );
  app.compile();
  return {
    handle: (request) => app.fetch(request),
    routes,
    hangUp: live.hangUp,
    close: async () => {
      await scans.close();
      await ingest.close();
    },
  };
}
