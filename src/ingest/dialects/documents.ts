import type { SourceKind } from "../../domain/source";
import type { ForeignDocument } from "../../http/foreign/document";
import type { Json } from "../../http/operation/openapi-schemas";
import { ofServer } from "../../lib/schema";
import type { Dialect } from "./dialect";
import { dialects } from "./list";

/** The example of a dialect in the OpenAPI document: one request and its answer. */
interface Shown {
  readonly product: string;
  /** The path of the request. */
  readonly path: string;
  readonly keyAtRoot: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer: ForeignDocument["answer"];
  readonly refused: ForeignDocument["refused"];
}

const json = "application/json";
const text = { type: "string", ...ofServer };
const object = (properties: Json): Json => ({ type: "object", properties });
const plain = "text/plain";
const page = "https://shop.example/cart";

const shown: Readonly<Record<SourceKind, Shown>> = {
  plausible: {
    product: "Plausible",
    path: "/api/event",
    keyAtRoot: "`d` or `domain`, else the host of `u`",
    body: { n: "signup", u: page, d: "shop.example", p: { plan: "pro" } },
    answer: { status: 202, type: plain, example: "ok" },
    refused: {
      type: json,
      schema: object({
        errors: { type: "object", additionalProperties: { type: "array", items: text } },
      }),
    },
  },
  umami: {
    product: "Umami",
    path: "/api/send",
    keyAtRoot: "`payload.website`",
    body: {
      type: "event",
      payload: { website: "94db1cb1-74f4-4a40-ad6c-962362670409", url: "/cart", name: "signup" },
    },
    answer: {
      ...{ status: 200, type: json },
      example: { cache: "sightline", sessionId: "sightline", visitId: "sightline" },
    },
    refused: { type: json, schema: object({ error: object({ message: text, code: text }) }) },
  },
  goatcounter: {
    product: "GoatCounter",
    path: "/count",
    keyAtRoot: "the `Host` header",
    query: { p: "/cart", t: "Cart", r: "https://news.example/" },
    answer: { status: 200, type: "image/gif" },
    refused: { type: "image/gif" },
  },
  matomo: {
    product: "Matomo",
    path: "/matomo.php",
    keyAtRoot: "`idsite`",
    body: { requests: [`?idsite=1&rec=1&url=${encodeURIComponent(page)}&e_c=cart&e_a=add`] },
    answer: {
      ...{ status: 200, type: json },
      example: { status: "success", tracked: 1, invalid: 0, invalid_indices: [] },
    },
    refused: { type: json, schema: object({ status: text, message: text }) },
  },
  segment: {
    product: "Segment",
    path: "/v1/batch",
    keyAtRoot: "the user name of `Authorization: Basic`, else `writeKey`",
    body: { batch: [{ type: "track", event: "signup", userId: "u1", messageId: "m-1" }] },
    answer: { status: 200, type: json, example: { success: true } },
    refused: { type: json, schema: object({ success: { type: "boolean" }, message: text }) },
  },
  posthog: {
    product: "PostHog",
    path: "/batch",
    keyAtRoot: "`api_key` or `token`",
    body: { api_key: "phc_example", batch: [{ event: "signup", distinct_id: "u1", uuid: "e-1" }] },
    answer: { status: 200, type: json, example: { status: 1 } },
    refused: {
      type: json,
      schema: object({
        type: text,
        code: text,
        detail: text,
        attr: { ...text, type: ["string", "null"] },
      }),
    },
  },
  mixpanel: {
    product: "Mixpanel",
    path: "/track",
    keyAtRoot: null,
    body: [{ event: "signup", properties: { distinct_id: "u1", $insert_id: "m-1" } }],
    answer: { status: 200, type: plain, example: "1" },
    refused: { type: plain },
  },
};

/** One operation for each dialect, at the path that its clients use most. */
export const dialectDocuments: readonly ForeignDocument[] = dialects.map((dialect) => {
  const { product, path, keyAtRoot, ...rest } = shown[dialect.kind];
  return {
    id: `collect${product}`,
    path: `/in/{source}${path}`,
    method: rest.query === undefined ? "post" : "get",
    summary: `Events from ${product} clients`,
    description: wordsOf(dialect, product, keyAtRoot),
    ...rest,
  };
});

function wordsOf({ endpoints }: Dialect, product: string, keyAtRoot: string | null): string {
  const paths = endpoints.map(({ path, methods }) => `${methods.join(", ")} \`${path}\``);
  const atRoot =
    keyAtRoot === null
      ? "Works below the `url` of a source only."
      : `Also works at the root of the server; there ${keyAtRoot} is the key of the source.`;
  return (
    `Takes what ${product} clients send to the \`url\` of a source. Paths: ${paths.join("; ")}. ${atRoot} ` +
    "Items are judged one by one, and the answer is a success if any was stored. Volume and rate: 429 with " +
    "`Retry-After`."
  );
}
