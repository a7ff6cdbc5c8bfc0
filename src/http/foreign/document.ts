import type { Json } from "../operation/openapi-schemas";

/** The example of another product's protocol in the OpenAPI document: one request, with its answer and its refusal. */
export interface ForeignDocument {
  readonly id: string;
  /** With `{source}` in it, the id of a source. */
  readonly path: string;
  readonly method: "get" | "post";
  readonly summary: string;
  readonly description: string;
  /** Parameters of the query, with a value of each. */
  readonly query?: Readonly<Record<string, string>>;
  /** The body of the request, as JSON. */
  readonly body?: unknown;
  readonly answer: { readonly status: number; readonly type: string; readonly example?: unknown };
  readonly refused: { readonly type: string; readonly schema?: Json };
}

export const foreignTag = "Other clients";

/** The paths of the document for these. */
export const foreignPaths = (documents: readonly ForeignDocument[]): Json =>
  Object.fromEntries(
    documents.map((one) => [one.path, { parameters: [source], [one.method]: operationOf(one) }]),
  );

const text = { type: "string" };
const source = { name: "source", in: "path", required: true, schema: text };

function operationOf({
  id,
  summary,
  description,
  query = {},
  body,
  answer,
  refused,
}: ForeignDocument) {
  const sent = Object.entries(query).map(([name, example]) => ({
    ...{ name, in: "query", schema: text, example },
  }));
  return {
    operationId: id,
    ...{ summary, description, tags: [foreignTag], security: [] },
    ...(sent.length > 0 && { parameters: sent }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { example: body } } },
    }),
    responses: {
      [answer.status]: { description: "OK", content: { [answer.type]: exampleOf(answer.example) } },
      default: {
        description: "Refused, in the form of the product.",
        content: { [refused.type]: refused.schema === undefined ? {} : { schema: refused.schema } },
      },
    },
  };
}

const exampleOf = (example: unknown): Json => (example === undefined ? {} : { example });
