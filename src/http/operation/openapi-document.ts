import { Elysia } from "elysia";
import Type from "typebox";
import { errorStatus } from "../../domain/errors";
import { namedSchemas, schema } from "../../lib/schema";
import { splitName } from "./endpoint-index";
import { isObject } from "./input";
import { describeOperation } from "./openapi";
import { SharedErrors } from "./openapi-errors";
import type { Operation } from "./operation";

// The error body of every operation. Operations refer to it by its name, which this call registers.
schema(
  Type.Object(
    {
      error: Type.Enum(Object.keys(errorStatus), { description: "Branch on this code." }),
      message: Type.String({ description: "What happened and what to do next, for people." }),
    },
    {
      $id: "Error",
      description: "Some codes add fields: `field`, `index`, `reason`, `allowed`, `limit_bytes`, …",
    },
  ),
);

type Json = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.1 document of operations. The plugin collects them with what `openapi.ts` says of
 * each; version, components and all schemas are put in here, because the plugin's own are not valid OpenAPI.
 */
export async function openApiDocument(
  operations: readonly Operation[],
  baseUrl: string,
): Promise<Json> {
  const { paths, tags } = await collect(operations);
  const shared = new SharedErrors();
  const shortened = mapOperations(paths, (operation) => shared.shorten(operation));
  return {
    openapi: "3.1.0",
    info: {
      title: "Sightline",
      version: "1.0.0",
      description:
        "Web analytics that agents read over HTTP. Start with GET /projects to learn the names of your projects, " +
        "then GET /stats?project=… for the numbers; every error tells what to do next.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl }],
    tags,
    paths: shortened,
    components: { ...componentsOf(), responses: shared.components },
  };
}

const mapOperations = (paths: Json, change: (operation: Json) => Json): Json =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(isObject(item) ? item : {}).map(([method, operation]) => [
          method,
          isObject(operation) ? change(operation) : operation,
        ]),
      ),
    ]),
  );

/** The plugin's page and route stay in an app of their own: they would load scripts from elsewhere. */
async function collect(operations: readonly Operation[]) {
  const { swagger } = await import("@elysiajs/swagger");
  const collector = new Elysia().use(
    swagger({ path: "/page", specPath: "/document", excludeStaticFile: false }),
  );
  for (const operation of operations) {
    const { method, path } = splitName(operation.name);
    const pattern = path.replace(/\{(\w+)\}/g, ":$1");
    collector.route(method, pattern, () => null, { detail: describeOperation(operation) });
  }
  const response = await collector.handle(new Request("http://localhost/document"));
  const document: unknown = await response.json();
  const collected = isObject(document) && isObject(document.paths) ? document.paths : {};
  const parameters = parametersByName();
  const paths = Object.fromEntries(
    Object.entries(collected).map(([path, item]) => [path, inlineParameters(item, parameters)]),
  );
  return { paths, tags: tagsOf(paths) };
}

/** Parameters are spelled out where they are used: a reader of one operation need not look elsewhere. */
function inlineParameters(item: unknown, parameters: ReadonlyMap<string, Json>): Json {
  if (!isObject(item)) return {};
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      if (!isObject(operation) || !Array.isArray(operation.parameters)) return [method, operation];
      const list = operation.parameters.map((one: unknown) =>
        isObject(one) && typeof one.$ref === "string" ? parameters.get(one.$ref) : one,
      );
      return [method, { ...operation, parameters: list }];
    }),
  );
}

function parametersByName(): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  for (const [id, definition] of namedSchemas()) {
    const node: Json = { ...definition };
    if (!isObject(node.properties)) continue;
    const required = Array.isArray(node.required) ? node.required : [];
    for (const [name, property] of Object.entries(node.properties)) {
      if (!isObject(property)) continue;
      const { description, ...rest } = property;
      found.set(`#/components/parameters/${id}.${name}`, {
        name,
        in: "query",
        required: required.includes(name) && property.default === undefined,
        ...(description === undefined ? {} : { description }),
        schema: plain(rest),
      });
    }
  }
  return found;
}

function componentsOf(): Json {
  const schemas = [...namedSchemas()].map(([id, { ...definition }]) => [id, plain(definition, id)]);
  return {
    schemas: Object.fromEntries(schemas),
    securitySchemes: {
      agentSession: {
        type: "http",
        scheme: "bearer",
        description: "An agent session, `aas_…`, limited by its scopes.",
      },
      apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "`aak_…`" },
      apiKeyInQuery: { type: "apiKey", in: "query", name: "key", description: "`aak_…`" },
      browserSession: { type: "apiKey", in: "cookie", name: "sl_session" },
    },
  };
}

/** A schema as JSON: named parts become references, and fields that have a default need not be sent. */
function plain(value: unknown, rootId?: string): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (!isObject(value)) return value;
  const { $id, "x-clamped": _, "x-trimmed": __, ...rest } = value;
  if (typeof $id === "string" && $id !== rootId) return { $ref: `#/components/schemas/${$id}` };
  const copied = Object.entries(rest).map(([key, one]) => [key, plain(one)]);
  const copy: Record<string, unknown> = Object.fromEntries(copied);
  if (Array.isArray(rest.required) && isObject(rest.properties)) {
    const { properties } = rest;
    copy.required = rest.required.filter((name: string) => {
      const property = properties[name];
      return !isObject(property) || property.default === undefined;
    });
  }
  return copy;
}

function tagsOf(paths: Json): readonly { readonly name: string }[] {
  const names = Object.values(paths).flatMap((item) =>
    isObject(item)
      ? Object.values(item).flatMap((one) =>
          isObject(one) && Array.isArray(one.tags) ? one.tags.map(String) : [],
        )
      : [],
  );
  return [...new Set(names)].sort().map((name) => ({ name }));
}
