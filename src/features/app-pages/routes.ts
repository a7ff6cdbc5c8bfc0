import type { Deps } from "../../http/deps";
import { StaticFile } from "../../http/edge/static-file";
import type { Feature } from "../../http/feature";
import { applicationHeaders, htmlType } from "../../http/pages/html";
import { filePage, page, shownPage } from "../../http/pages/page";
import { applicationDocument, applicationFile, types } from "./application";
import { invitePage, loginPage, resetPage, setupPage } from "./documents";

/** The pages of a person: set-up and log-in as documents, everything behind them as one application. */
export const pagesFeature = ({ config }: Deps): Feature => {
  const headers = { ...applicationHeaders(config.replayViewerOrigin), "content-type": htmlType };
  const application = async () => new Response(await applicationDocument(), { headers });
  const places = [
    "/app",
    "/app/settings",
    "/app/admin",
    "/app/admin/backups",
    "/app/admin/disk",
    "/account/billing",
    "/account/billing/agent-upgrade",
    "/app/live",
    "/app/p",
    "/app/p/",
    "/app/p/{project}",
    "/app/p/{project}/{page}",
    "/app/p/{project}/{page}/{id}",
  ];

  return {
    operations: [],
    pages: [
      ...places.map((path) => page(path, application)),
      page("/app/assets/{file}", async ({ request, params }) =>
        (await applicationFile(params.file ?? "")).respond(request),
      ),
      shownPage("/setup", setupPage(config.demoEnabled)),
      shownPage("/login", loginPage(config.demoEnabled)),
      shownPage("/invite", invitePage),
      shownPage("/reset", resetPage),
      page("/settings", () => redirect("/app/settings")),
      filePage("/app/pages.js", bundled("pagesScript", types.js)),
      filePage("/app/pages.css", bundled("pagesStyle", types.css)),
      filePage("/app/docs.js", bundled("docsScript", types.js)),
      filePage("/app/docs.css", bundled("docsStyle", types.css)),
      filePage("/app/icon.svg", icon),
    ],
  };
};

const redirect = (location: string): Response =>
  new Response(null, { status: 302, headers: { location } });

type Part = "pagesScript" | "pagesStyle" | "docsScript" | "docsStyle";

/** A part of the dashboard's build that keeps its name, so that browsers ask whether it has changed. */
const bundled = (part: Part, type: string): StaticFile =>
  new StaticFile(async () => (await import("./bundle")).bundle[part], {
    "content-type": type,
    "cache-control": "no-cache",
  });

/** An eye, as the product is called. */
const iconText = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path d="M2 16C8 6 24 6 30 16C24 26 8 26 2 16Z" fill="#0b5cad"/><circle cx="16" cy="16" r="5" fill="#fff"/></svg>
`;
const icon = new StaticFile(async () => iconText, {
  "content-type": "image/svg+xml",
  "cache-control": "public, max-age=86400",
});
