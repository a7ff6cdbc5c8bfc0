import { StaticFile } from "../../http/edge/static-file";
import type { Feature } from "../../http/feature";
import { htmlType } from "../../http/pages/html";
import { filePage, page, shownPage } from "../../http/pages/page";
import { adminPage } from "./admin-document";
import { applicationDocument, applicationFile } from "./application";
import { loginPage, setupPage, welcomePage } from "./documents";
import { settingsPage } from "./settings-document";

/** The pages of a person: set-up, log-in, from there to the first event, live, settings, administration. */
export const pagesFeature = (): Feature => {
  const application = async () =>
    new Response(await applicationDocument(), { headers: { "content-type": htmlType } });
  const places = [
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
      page("/", () => redirect("/app")),
      shownPage("/setup", setupPage),
      shownPage("/login", loginPage),
      shownPage("/app", welcomePage),
      shownPage("/app/settings", settingsPage),
      page("/settings", () => redirect("/app/settings")),
      shownPage("/app/admin", adminPage),
      filePage("/app/pages.js", script),
      filePage("/app/pages.css", styles),
      filePage("/app/icon.svg", icon),
    ],
  };
};

const redirect = (location: string): Response =>
  new Response(null, { status: 302, headers: { location } });

const script = new StaticFile(async () => (await import("./bundle")).bundle.pagesScript, {
  "content-type": "text/javascript; charset=utf-8",
  "cache-control": "no-cache",
});
const styles = new StaticFile(async () => (await import("./bundle")).bundle.pagesStyle, {
  "content-type": "text/css; charset=utf-8",
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
