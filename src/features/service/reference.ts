import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { invalidField } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { StaticFile } from "../../http/edge/static-file";
import { queryOf } from "../../http/edge/url";
import type { Feature } from "../../http/feature";
import { foreignTag } from "../../http/foreign/document";
import { free } from "../../http/operation/facts";
import { openApiDocument, type Served, tagsOf } from "../../http/operation/openapi-document";
import { publicOperation } from "../../http/operation/public-operation";
import { htmlType, pageHeaders } from "../../http/pages/html";
import { filePage, page } from "../../http/pages/page";
import { referencePage, referenceStyle, startScript, themeScript } from "./reference-page";
import { OpenApiDocument, OpenApiQuery } from "./schema";

const tag = "Service";

/** The operations as a document for machines and as a page for people; `served` are those they show. */
export const referenceFeature = (deps: Deps, served: () => Served): Feature => {
  // Unless PUBLIC_URL is set, the base is relative, so that it is the address from which the document came.
  const baseUrl = deps.config.publicUrlIsSet ? deps.config.publicUrl : "/";
  const document = new DocumentFiles(served, baseUrl);
  return {
    operations: [
      publicOperation("GET /openapi.json", {
        access: free("none"),
        isLenient: true,
        doc: {
          id: "getOpenApi",
          summary: "This document",
          description:
            "OpenAPI 3.1 document of all operations, with responses, errors and examples. `tag`, such as `Reads`, " +
            "returns only the operations of that tag.",
          tag,
        },
        takes: OpenApiQuery,
        returns: { 200: OpenApiDocument },
        handle: ({ request }) => {
          return document.of(queryOf(request).getAll("tag")).respond(request);
        },
      }),
    ],
    pages: [
      page("/docs/api", () => new Response(referencePage, { headers: referenceHeaders })),
      filePage("/docs/theme.js", theme),
      filePage("/docs/start.js", start),
      filePage("/docs/frame.css", frameCss),
      filePage("/docs/swagger-ui.js", swaggerUi),
      filePage("/docs/swagger-ui.css", swaggerCss),
    ],
  };
};

/** The whole document, and that of each selection of tags that was asked for, compressed once. */
class DocumentFiles {
  readonly #files = new Map<string, StaticFile>();

  constructor(
    private readonly served: () => Served,
    private readonly baseUrl: string,
  ) {}

  /** Tags may be sent one by one or joined by commas. */
  of(sent: readonly string[]): StaticFile {
    const { operations, foreign } = this.served();
    const tags = known(
      tagsOf({ operations, foreign }),
      sent.flatMap((one) => one.split(",")).filter((one) => one.trim() !== ""),
    );
    const key = tags.join(",");
    const ofTags: Served = {
      operations: operations.filter(({ doc }) => tags.includes(doc.tag)),
      foreign: tags.includes(foreignTag) ? foreign : [],
    };
    const file =
      this.#files.get(key) ??
      new StaticFile(
        async () => JSON.stringify(await openApiDocument(ofTags, this.baseUrl)),
        documentHeaders,
      );
    if (this.#files.size < selectionsKeptMax) this.#files.set(key, file);
    return file;
  }
}

/** Each tag alone and the whole; of the thousands of combinations only those that come early. */
const selectionsKeptMax = 64;

/** Returns the known names in the document's order. */
function known(all: readonly string[], sent: readonly string[]): readonly string[] {
  if (sent.length === 0) return all;
  const wanted = new Set(sent.map((one) => one.trim().toLowerCase()));
  if (wanted.delete("all") && wanted.size === 0) return all;
  const found = all.filter((one) => wanted.delete(one.toLowerCase()));
  if (wanted.size === 0) return found;
  throw invalidField("tag", `"tag" must be one of ${all.join(", ")}.`, all);
}

const documentHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-cache",
};
/** Swagger UI sets styles on elements and shows small images that its style sheet holds. */
const referenceHeaders = {
  "content-type": htmlType,
  "content-security-policy": (pageHeaders["content-security-policy"] ?? "")
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace("img-src 'self'", "img-src 'self' data:"),
};

const script = (load: () => Promise<string | Uint8Array>) =>
  new StaticFile(load, {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-cache",
  });

const theme = script(async () => themeScript);
const start = script(async () => startScript);
const swaggerUi = script(() => Bun.file(swaggerScript).bytes());

const css = (load: () => Promise<string | Uint8Array>) =>
  new StaticFile(load, { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache" });

const frameCss = css(async () => referenceStyle);
const swaggerCss = css(() => Bun.file(swaggerStyle).bytes());
