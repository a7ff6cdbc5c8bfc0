import { ofServer, ofVisitors } from "../../lib/schema";
import { csvType } from "./csv-form";
import { isObject, type Node } from "./input";
import { codesByStatus, refusalsInWords } from "./openapi";
import { type Json, mapped, type SharedSchemas, shownSchema } from "./openapi-schemas";
import type { Operation } from "./operation";
import { Receipt } from "./receipt";

/**
 * The answers of operations. The document of a tag has them in full; that of all operations would be twice as long with
 * them, and names the type alone, where it is not JSON.
 */

/** An answer that is no refusal. */
interface Answer {
  readonly status: number;
  readonly name: string;
  readonly type: string;
  readonly schema: Json;
  readonly example?: unknown;
  readonly csv?: Operation["csv"];
}

export function answersOf({ doc, returns, csv, hasReceipt }: Operation): readonly Answer[] {
  const type = doc.produces ?? jsonType;
  const shown = (node: Node) => shownSchema(hasReceipt ? withReceiptField(node) : node);
  const answers = Object.entries(returns).map(([status, node], at) => ({
    ...{ status: Number(status), type, name: node.$id ?? "Answer", schema: shown(node) },
    ...(at === 0 && doc.example?.answer !== undefined && { example: doc.example.answer }),
    ...(at === 0 && csv !== undefined && { csv }),
  }));
  if (answers.length > 0 || doc.redirects === "always") return answers;
  return [{ status: 200, type, name: "Text", schema: textOf(type) }];
}

/** An answer, with the field that it ends with where one was asked for. */
const withReceiptField = (node: Node): Node =>
  node.properties === undefined
    ? { ...node, ...(node.anyOf !== undefined && { anyOf: node.anyOf.map(withReceiptField) }) }
    : { ...node, properties: { ...node.properties, receipt: Receipt } };

const jsonType = "application/json";

/** Streams tell what visitors send, and pages may show it. */
const textOf = (type: string): Json => ({
  type: "string",
  ...(/event-stream|html/.test(type) ? ofVisitors : ofServer),
});

/** `responses` of an operation in the document of its tag. */
export function inFull(operation: Operation, answers: readonly Answer[], schemas: SharedSchemas) {
  const told = answers.map(({ status, type, name, schema: own, example, csv }) => {
    const schema = schemas.shown(own, name);
    const shown = status < 400 ? schema : { anyOf: [schema, errorRef] };
    const content = {
      [type]: { schema: shown, ...(example !== undefined && { example }) },
      ...(csv !== undefined && {
        [csvType]: { schema: { type: "string", ...ofVisitors }, ...csv },
      }),
    };
    return [status, { description: "OK", content }];
  });
  const refused = { $ref: "#/components/responses/Refusal" };
  return { ...Object.fromEntries(told), ...redirectOf(operation), default: refused };
}

/** Answers that operations have in common, as aliases do: components, by the id of the first operation that has one. */
export class SharedAnswers {
  readonly components: Record<string, unknown> = {};
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Counts the answers of an operation. All are counted before any is shown. */
  count(responses: Json): void {
    for (const one of Object.values(responses).map((each) => JSON.stringify(each))) {
      this.#counts.set(one, (this.#counts.get(one) ?? 0) + 1);
    }
  }

  shown(responses: Json, operationId: string): Json {
    return mapped(responses, (one, status) => {
      const text = JSON.stringify(one);
      if (!isObject(one) || one.$ref !== undefined || (this.#counts.get(text) ?? 0) < 2) return one;
      const name = this.#names.get(text) ?? `${operationId}-${status}`;
      this.#names.set(text, name);
      this.components[name] = one;
      return { $ref: `#/components/responses/${name}` };
    });
  }
}

/** The answers in the document of all operations: left out where they are JSON with status 200, as they mostly are. */
export function namedByType(operation: Operation, answers: readonly Answer[]): Json | undefined {
  const told = answers.map((one) => [
    one.status,
    { $ref: `#/components/responses/${typeName(one)}` },
  ]);
  const redirect = redirectOf(operation);
  const [first] = answers;
  const isUsual = answers.length === 1 && first?.status === 200 && isPlain(first);
  return isUsual && redirect === undefined
    ? undefined
    : { ...Object.fromEntries(told), ...redirect };
}

const isPlain = ({ type, csv }: Typed): boolean => type === jsonType && csv === undefined;

const redirectOf = ({ doc }: Operation) =>
  doc.redirects === undefined ? undefined : { 302: { description: "Sends the browser on." } };

type Typed = Pick<Answer, "type" | "csv">;

/** Returns the name of an answer's type in the document of all operations: `html`, `json-or-csv`. */
function typeName({ type, csv }: Typed): string {
  const [, subtype = ""] = type.split(/[/;]/);
  return csv === undefined ? subtype : `${subtype}-or-csv`;
}

/** Returns the components to which `namedByType` refers. */
export const answersByType = (answers: readonly Answer[]): Json =>
  Object.fromEntries(answers.map((one) => [typeName(one), answerOfType(one)]));

const answerOfType = ({ type, csv }: Typed): Json => ({
  description:
    type === jsonType
      ? "Described in the document of the operation's tag, with an example: GET /openapi.json?tag=…"
      : "OK",
  content: {
    [type]: type === jsonType ? {} : { schema: textOf(type) },
    ...(csv !== undefined && { [csvType]: {} }),
  },
});

const errorRef = { $ref: "#/components/schemas/Error" };

export const refusal: Json = {
  description: refusalsInWords,
  content: { [jsonType]: { schema: errorRef } },
};

/** Returns the schema of the body of every refusal. */
export const errorSchema = (): Json => ({
  type: "object",
  required: ["error", "message"],
  properties: {
    error: {
      anyOf: codesByStatus().map(({ status, codes }) => ({ title: String(status), enum: codes })),
      description: "Branch on this code; titles are their HTTP status.",
    },
    message: {
      type: "string",
      ...ofServer,
      description: "What happened and what to do next, for people.",
    },
    suggested_field: { type: ["string", "null"], ...ofVisitors },
    suggested_item: {
      type: "object",
      ...ofServer,
      description: "In place of the item of `filters`.",
    },
    available_properties: { type: "object", ...ofVisitors },
  },
  description: "Some codes add fields: `field`, `index`, `reason`, `allowed`, `limit_bytes`, …",
});
