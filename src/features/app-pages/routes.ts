import { Elysia } from "elysia";
import type { Deps } from "../../http/deps";
import { StaticFile } from "../../http/edge/static-file";
import { htmlType } from "../../http/pages/html";
import { page } from "../../http/pages/page";
import { adminPage } from "./admin-document";
import { applicationDocument, applicationFile } from "./application";
import { loginPage, setupPage, welcomePage } from "./documents";
import { settingsPage } from "./settings-document";

/** The pages of a person: set-up, log-in, from there to the first event, live, settings, administration. */
export const pagesRoutes = (deps: Deps) => {
  const show = (path: string, html: string) =>
    page(deps, path, () => new Response(html, { headers: { "content-type": htmlType } }));
  const asset = (path: string, file: StaticFile) =>
    page(deps, path, ({ request }) => file.respond(request));

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

  return new Elysia({ name: "pages" })
    .use(places.map((path) => page(deps, path, application)))
    .use(
      page(deps, "/app/assets/{file}", async ({ request, params }) =>
        (await applicationFile(params.file ?? "")).respond(request),
      ),
    )
    .use(page(deps, "/", () => redirect("/app")))
    .use(show("/setup", setupPage))
    .use(show("/login", loginPage))
    .use(show("/app", welcomePage))
    .use(show("/app/settings", settingsPage))
    .use(page(deps, "/settings", () => redirect("/app/settings")))
    .use(show("/app/admin", adminPage))
    .use(asset("/app/pages.js", script))
    .use(asset("/app/pages.css", styles))
    .use(asset("/app/icon.svg", icon));
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
