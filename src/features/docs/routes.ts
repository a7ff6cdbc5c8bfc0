import { missingPageHtml, pageHtml } from "../../http/docs/frame";
import { loadPages } from "../../http/docs/load";
import { addressOf, type DocsPage, markdownAddressOf } from "../../http/docs/page";
import { searchIndex } from "../../http/docs/search";
import { likesTextBetterThanHtml } from "../../http/edge/accept";
import { StaticFile } from "../../http/edge/static-file";
import { pathOf } from "../../http/edge/url";
import type { Feature } from "../../http/feature";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { htmlType } from "../../http/pages/html";
import { filePage, page } from "../../http/pages/page";
import { nearest } from "../../lib/nearest";

/** The documentation: its pages, the same as Markdown, and what browsers search. */
export const docsFeature = (): Feature => ({
  operations: [
    publicOperation("GET /docs", {
      access: free("none"),
      isPage: true,
      isLenient: true,
      doc: {
        id: "getDocs",
        summary: "The documentation",
        description:
          "Pages for people. `/docs/<page>.md` has each as Markdown, `/llms.txt` lists them, and " +
          "`/docs/api` shows the operations of /openapi.json.",
        tag: "Service",
        produces: htmlType,
      },
      takes: nothing,
      returns: {},
      handle: ({ request }) => respond(request),
    }),
  ],
  pages: [
    filePage("/docs/search.json", search),
    // Folders are at most two deep.
    ...["/docs/{a}", "/docs/{a}/{b}", "/docs/{a}/{b}/{c}"].map((path) =>
      page(path, ({ request }) => respond(request)),
    ),
  ],
});

/** The files by their addresses below the origin. They are made when the first is asked for. */
let files: ReadonlyMap<string, StaticFile> | null = null;

/** A page is HTML, and Markdown for those that name it before HTML, as agents do. */
async function respond(request: Request): Promise<Response> {
  const pages = await loadPages();
  files ??= filesOf(pages);
  const address = pathOf(request).slice(1);
  const page = pages.find(({ path }) => addressOf(path) === address);
  const isMarkdown = page !== undefined && likesTextBetterThanHtml(request.headers);
  const found = files.get(isMarkdown ? markdownAddressOf(page) : address);
  const answer = (await found?.respond(request)) ?? missing(address, pages);
  answer.headers.append("vary", "accept");
  return answer;
}

function filesOf(pages: readonly DocsPage[]): ReadonlyMap<string, StaticFile> {
  return new Map(
    pages.flatMap((one) => [
      [addressOf(one.path), file(htmlType, async () => pageHtml(one, pages))],
      [markdownAddressOf(one), file(markdownType, async () => one.markdown)],
    ]),
  );
}

function missing(address: string, pages: readonly DocsPage[]): Response {
  const html = missingPageHtml(address, meantBy(address, pages), pages);
  return new Response(html, { status: 404, headers: { "content-type": htmlType } });
}

/** The page that is called almost so, and that which has the name in another folder. */
function meantBy(address: string, pages: readonly DocsPage[]): readonly DocsPage[] {
  const nameOf = (path: string): string => path.split("/").at(-1) ?? "";
  const name = nameOf(address).replace(/\.(md|html?)$/, "");
  const near = nearest(
    name,
    pages.map(({ path }) => nameOf(path)),
  );
  return pages.filter(({ path }) => path !== "" && nameOf(path) === near);
}

const markdownType = "text/markdown; charset=utf-8";
const file = (type: string, make: () => Promise<string>): StaticFile =>
  new StaticFile(make, { "content-type": type, "cache-control": "no-cache" });

const search = file("application/json; charset=utf-8", async () =>
  JSON.stringify(searchIndex(await loadPages())),
);
