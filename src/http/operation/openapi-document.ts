import { Elysia } from "elysia";
import { type ForeignDocument, foreignPaths, foreignTag } from "../foreign/document";
import { splitName } from "./facts";
import { isObject } from "./input";
import { everyCredential, rulesInWords, securityOf, wordsOf } from "./openapi";
import { answersOf, errorSchema, refusal, responsesOf, SharedAnswers } from "./openapi-answers";
import {
  headerParameters,
  type Input,
  inputOf,
  pathParameter,
  queryParameter,
  SharedParameters,
} from "./openapi-input";
import { type Json, SharedSchemas } from "./openapi-schemas";
import type { Operation } from "./operation";

/** The example in the document. */
export interface Served {
  readonly operations: readonly Operation[];
  readonly foreign: readonly ForeignDocument[];
}

/**
 * The OpenAPI 3.1 document of operations: what they take and answer, with examples, and what they refuse with. It is
 * made to be read by agents, so nothing is said twice in it: schemas, parameters and refusals that several operations
 * have are components.
 *
 * The plugin puts the operations into paths; what is in them, and the components, is ours, because the plugin's own is
 * not valid OpenAPI.
 */
export async function openApiDocument(
  { operations, foreign }: Served,
  baseUrl: string,
): Promise<Json> {
  const described = operations.map((operation) => ({
    operation,
    input: inputOf(operation),
    answers: answersOf(operation),
  }));
  const schemas = new SharedSchemas();
  for (const { input, answers } of described) {
    for (const { schema } of [...input, ...answers]) schemas.count(schema);
  }
  const parameters = new SharedParameters(described.flatMap(({ input }) => input));
  // What is sent comes first, so that its schemas get the plain names.
  const asked = described.map(({ operation, input }) =>
    shownOperation(operation, input, schemas, parameters),
  );
  const answered = described.map(({ operation, answers }) =>
    responsesOf(operation, answers, schemas),
  );
  const shared = new SharedAnswers();
  for (const responses of answered) shared.count(responses);
  const shown = described.map(({ operation }, at) => {
    const responses = shared.shown(answered[at] ?? {}, operation.doc.id);
    return { operation, shown: { ...asked[at], responses } };
  });
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: baseUrl }],
    security: everyCredential,
    tags: tagsOf({ operations, foreign }).map((name) => ({ name })),
    paths: { ...(await pathsOf(shown, parameters)), ...foreignPaths(foreign) },
    components: {
      schemas: { ...schemas.components, Error: errorSchema(operations) },
      parameters: parameters.components,
      responses: { ...shared.components, Refusal: refusal },
      securitySchemes,
    },
  };
}

export const tagsOf = ({ operations, foreign }: Served): readonly string[] =>
  [...new Set([...operations.map(({ doc }) => doc.tag), ...foreign.map(() => foreignTag)])].sort();

/** The version of the interface; the product has one of its own (`version.ts`). */
export const interfaceVersion = "1.0.0";

const info: Json = {
  title: "Sightline",
  version: interfaceVersion,
  description: [
    "Web analytics that agents read over HTTP. Start with GET /projects for the names of your projects, then " +
      "GET /stats?project=… for the numbers. Every error message says what to do next.",
    rulesInWords,
    "GET /openapi.json?tag=Reads returns only the operations of one tag. components.responses.Refusal " +
      "describes the errors that all operations share.",
  ].join("\n\n"),
  license: { name: "MIT", identifier: "MIT" },
};

function shownOperation(
  operation: Operation,
  input: readonly Input[],
  schemas: SharedSchemas,
  parameters: SharedParameters,
): Json {
  const { doc } = operation;
  const inQuery = input.filter(({ place }) => place === "parameter").map(queryParameter);
  const listed = [...inQuery, ...headerParameters(operation)].map((one) => parameters.shown(one));
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
  };
}

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

const securitySchemes: Json = {
  agentSession: {
    type: "http",
    scheme: "bearer",
    description:
      "An agent session, `aas_…`, limited by its scopes; or a share, `sht_…`, and `X-Share-Password` if it has one.",
  },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "`aak_…`" },
  apiKeyInQuery: { type: "apiKey", in: "query", name: "key", description: "`aak_…`" },
  browserSession: { type: "apiKey", in: "cookie", name: "sl_session" },
};
