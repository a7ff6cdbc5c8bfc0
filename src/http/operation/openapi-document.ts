import { Elysia } from "elysia";
import { csvType } from "./csv-form";
import { splitName } from "./endpoint-index";
import { isObject, type Node } from "./input";
import {
  codesByStatus,
  everyCredential,
  refusalsInWords,
  rulesInWords,
  securityOf,
  wordsOf,
} from "./openapi";
import {
  type Input,
  inputOf,
  pathParameter,
  queryParameter,
  SharedParameters,
} from "./openapi-input";
import { type Json, SharedSchemas, shownSchema } from "./openapi-schemas";
import type { Operation } from "./operation";
import { Receipt } from "./receipt";

/**
 * The OpenAPI 3.1 document of operations. It is made to be read by agents, so nothing is said twice in it: schemas,
 * parameters and refusals that several operations have are components. `answers` are described, or left to
 * the documents of single tags, where all of them would be more than is read at once.
 *
 * The plugin puts the operations into paths; what is in them, and the components, is ours, because the plugin's own is
 * not valid OpenAPI.
 */
export async function openApiDocument(
  operations: readonly Operation[],
  { baseUrl, answers }: { readonly baseUrl: string; readonly answers: "described" | "left out" },
): Promise<Json> {
  const isWhole = answers === "left out";
  const described = operations.map((operation) => ({
    operation,
    input: inputOf(operation),
    answers: answersOf(operation),
  }));
  const schemas = new SharedSchemas();
  for (const { input, answers: told } of described) {
    for (const { schema } of isWhole ? input : [...input, ...told]) schemas.count(schema);
  }
  const parameters = new SharedParameters(described.flatMap(({ input }) => input));
  const shown = described.map(({ operation, input }) => ({
    operation,
    shown: shownOperation(operation, input, schemas, parameters, isWhole),
  }));
  const responses = described.flatMap(({ answers: told }) =>
    told.map(({ name, schema, ...one }) =>
      isWhole
        ? [typeName(one), answerOfType(one)]
        : [one.component, answerOf(schemas.shown(schema, name), one)],
    ),
  );
  return {
    openapi: "3.1.0",
    info: infoOf(isWhole),
    servers: [{ url: baseUrl }],
    security: everyCredential,
    tags: tagsOf(operations).map((name) => ({ name })),
    paths: await pathsOf(shown, parameters),
    components: {
      schemas: { ...schemas.components, Error: errorSchema() },
      parameters: parameters.components,
      responses: { ...Object.fromEntries(responses), Refusal: refusal },
      securitySchemes,
    },
  };
}

export const tagsOf = (operations: readonly Operation[]): readonly string[] =>
  [...new Set(operations.map(({ doc }) => doc.tag))].sort();

const infoOf = (isWhole: boolean): Json => ({
  title: "Sightline",
  version: "1.0.0",
  description: [
    "Web analytics that agents read over HTTP. Start with GET /projects to learn the names of your projects, then " +
      "GET /stats?project=… for the numbers; every error tells what to do next.",
    rulesInWords,
    ...(isWhole
      ? [
          "What operations answer is described, with examples, in the document of their tag, such as GET " +
            "/openapi.json?tag=Reads, and for all of them in GET /openapi.json?tag=all. What all of them refuse with " +
            "is told once, in components.responses.Refusal.",
        ]
      : []),
  ].join("\n\n"),
  license: { name: "MIT", identifier: "MIT" },
});

/** An answer that is no refusal, and the component that describes it. */
interface Answer {
  readonly status: number;
  readonly component: string;
  readonly name: string;
  readonly type: string;
  readonly schema: Json;
  readonly example?: unknown;
  readonly csv?: Operation["csv"];
}

function answersOf({ doc, returns, csv, hasReceipt }: Operation): readonly Answer[] {
  const type = doc.produces ?? jsonType;
  const shown = (node: Node) => shownSchema(hasReceipt ? withReceiptField(node) : node);
  const answers = Object.entries(returns).map(([status, node], at) => ({
    ...{ status: Number(status), type, name: node.$id ?? "Answer", schema: shown(node) },
    component: at === 0 ? doc.id : `${doc.id}${status}`,
    ...(at === 0 && doc.example?.answer !== undefined && { example: doc.example.answer }),
    ...(at === 0 && csv !== undefined && { csv }),
  }));
  if (answers.length > 0 || doc.redirects === "always") return answers;
  return [{ status: 200, type, name: "Text", component: doc.id, schema: { type: "string" } }];
}

/** An answer, with the field that it ends with where one was asked for. */
const withReceiptField = (node: Node): Node =>
  node.properties === undefined
    ? { ...node, ...(node.anyOf !== undefined && { anyOf: node.anyOf.map(withReceiptField) }) }
    : { ...node, properties: { ...node.properties, receipt: Receipt } };

function answerOf(
  schema: unknown,
  { status, type, example, csv }: Omit<Answer, "name" | "schema">,
) {
  const error = { $ref: "#/components/schemas/Error" };
  const shown = status < 400 ? schema : { anyOf: [schema, error] };
  const content = {
    [type]: { schema: shown, ...(example !== undefined && { example }) },
    ...(csv !== undefined && { [csvType]: { schema: { type: "string" }, ...csv } }),
  };
  return { description: "OK", content };
}

function shownOperation(
  operation: Operation,
  input: readonly Input[],
  schemas: SharedSchemas,
  parameters: SharedParameters,
  isWhole: boolean,
): Json {
  const { doc } = operation;
  const inQuery = input.filter(({ place }) => place === "parameter").map(queryParameter);
  const listed = inQuery.map((one) => parameters.shown(one));
  const body = input.find(({ place }) => place === "body");
  const security = securityOf(operation);
  return {
    operationId: doc.id,
    summary: doc.summary,
    description: wordsOf(operation),
    tags: [doc.tag],
    ...(security && { security }),
    ...(listed.length > 0 && { parameters: listed }),
    ...(body && {
      requestBody: {
        ...(body.isRequired && { required: true }),
        content: {
          "application/json": {
            schema: schemas.shown(body.schema, body.name),
            ...(doc.example && { example: doc.example.input }),
          },
        },
      },
    }),
    responses: responsesOf(operation, isWhole),
  };
}

function responsesOf(operation: Operation, isWhole: boolean): Json {
  const { doc } = operation;
  const answers = answersOf(operation).map((answer) => [
    answer.status,
    { $ref: `#/components/responses/${isWhole ? typeName(answer) : answer.component}` },
  ]);
  return {
    ...Object.fromEntries(answers),
    ...(doc.redirects !== undefined && { 302: { description: "Sends the browser on." } }),
    ...(!isWhole && { default: { $ref: "#/components/responses/Refusal" } }),
  };
}

const jsonType = "application/json";

type Typed = Pick<Answer, "type" | "csv">;

/** What the document of all operations calls an answer of a type: `html`, `json-or-csv`. */
function typeName({ type, csv }: Typed): string {
  const [, subtype = ""] = type.split(/[/;]/);
  return csv === undefined ? subtype : `${subtype}-or-csv`;
}

/** Of the document of all operations, which would be twice as long with what they answer. */
const answerOfType = ({ type, csv }: Typed): Json => ({
  description:
    type === jsonType
      ? "Described in the document of the operation's tag, with an example: GET /openapi.json?tag=…"
      : "OK",
  content: {
    [type]: type === jsonType ? {} : { schema: { type: "string" } },
    ...(csv !== undefined && { [csvType]: {} }),
  },
});

const refusal: Json = {
  description: refusalsInWords,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

/** The plugin's page and route stay in an app of their own: they would load scripts from elsewhere. */
async function pathsOf(
  described: readonly { readonly operation: Operation; readonly shown: Json }[],
  parameters: SharedParameters,
): Promise<Json> {
  const { swagger } = await import("@elysiajs/swagger");
  const collector = new Elysia().use(
    swagger({ path: "/page", specPath: "/document", excludeStaticFile: false }),
  );
  const shownByName = new Map<string, Json>();
  for (const { operation, shown } of described) {
    const { method, path } = splitName(operation.name);
    collector.route(method, path.replace(/\{(\w+)\}/g, ":$1"), () => null);
    shownByName.set(`${method.toLowerCase()} ${path}`, shown);
  }
  const response = await collector.handle(new Request("http://localhost/document"));
  const document: unknown = await response.json();
  const collected = isObject(document) && isObject(document.paths) ? document.paths : {};
  return mapObject(collected, (item, path) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, part = ""]) => pathParameter(part));
    const methods = isObject(item) ? item : {};
    return {
      ...(inPath.length > 0 && { parameters: inPath.map((one) => parameters.shown(one)) }),
      ...mapObject(methods, (_, method) => shownByName.get(`${method} ${path}`)),
    };
  });
}

const mapObject = (object: Json, change: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** The body of every refusal. */
const errorSchema = (): Json => ({
  type: "object",
  required: ["error", "message"],
  properties: {
    error: {
      anyOf: codesByStatus().map(({ status, codes }) => ({ title: String(status), enum: codes })),
      description: "Branch on this code; titles are their HTTP status.",
    },
    message: {
      type: "string",
      description: "What happened and what to do next, for people.",
    },
  },
  description: "Some codes add fields: `field`, `index`, `reason`, `allowed`, `limit_bytes`, …",
});

const securitySchemes: Json = {
  agentSession: {
    type: "http",
    scheme: "bearer",
    description: "An agent session, `aas_…`, limited by its scopes.",
  },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "`aak_…`" },
  apiKeyInQuery: { type: "apiKey", in: "query", name: "key", description: "`aak_…`" },
  browserSession: { type: "apiKey", in: "cookie", name: "sl_session" },
};
