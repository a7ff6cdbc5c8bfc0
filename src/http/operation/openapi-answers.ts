import type { ErrorCode, ErrorExtras } from "../../domain/errors";
import { filterErrors } from "../../domain/filter";
import { ofOwner, ofServer, ofVisitors } from "../../lib/schema";
import { csvType } from "./csv-form";
import { isObject, type Node } from "./input";
import { codesByStatus, refusalsInWords } from "./openapi";
import { type Json, mapped, type SharedSchemas, shownSchema } from "./openapi-schemas";
import type { Operation } from "./operation";
import { Receipt } from "./receipt";

/** The answers of operations, their examples and refusals. */

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
  ...(/event-stream|html|ndjson/.test(type) ? ofVisitors : ofServer),
});

/** `responses` of an operation. */
export function responsesOf(
  operation: Operation,
  answers: readonly Answer[],
  schemas: SharedSchemas,
): Json {
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

const redirectOf = ({ doc }: Operation) =>
  doc.redirects === undefined ? undefined : { 302: { description: "Redirects the browser." } };

const errorRef = { $ref: "#/components/schemas/Error" };

const text = { type: "string", ...ofServer };

export const refusal: Json = {
  description: refusalsInWords,
  headers: {
    Link: {
      description: 'The documentation of the code: `</docs/api/errors#not_found>; rel="help"`.',
      schema: text,
    },
  },
  content: { [jsonType]: { schema: errorRef } },
};

/** Returns the schema of the body of every refusal of these operations. */
export function errorSchema(operations: readonly Operation[]): Json {
  const statuses = codesByStatus(operations);
  const codes = new Set<ErrorCode>(statuses.flatMap((one) => one.codes));
  const added = Object.entries(extras).filter(
    ([, { of }]) => of === undefined || of.some((code) => codes.has(code)),
  );
  return {
    type: "object",
    required: ["error", "message"],
    properties: {
      error: {
        anyOf: statuses.map((one) => ({ title: String(one.status), enum: one.codes })),
        description: "Branch on this code. Each title is the HTTP status.",
      },
      message: { ...text, description: "Explains the error and what to do, in plain English." },
      ...Object.fromEntries(added.map(([name, { schema }]) => [name, schema])),
    },
    description: "Fields other than `error` and `message` depend on the code.",
  };
}

interface Extra {
  readonly schema: Json;
  /** The only codes that add it; absent where many do. */
  readonly of?: readonly ErrorCode[];
}
const nullableText = { type: ["string", "null"], ...ofServer };
const ofImports: readonly ErrorCode[] = ["IMPORT_EXISTS", "IMPORT_STATE"];
const ofGoals: readonly ErrorCode[] = ["GOAL_NOT_FOUND"];
const ofRequest: readonly ErrorCode[] = ["AUTH_REQUEST_EXPIRED", "AUTH_REQUEST_REVOKED"];
/** The fields that codes add. */
const extras: Readonly<Record<keyof ErrorExtras, Extra>> = {
  field: { schema: { ...text, description: "The invalid field." } },
  index: {
    schema: { type: "integer", description: "Index in the sent list, from 0." },
  },
  line: {
    schema: { type: "integer", description: "Line of the file, from 1." },
    of: ["IMPORT_BROKEN", "IMPORT_NO_DATES"],
  },
  import: { schema: text, of: ofImports },
  state: { schema: text, of: ofImports },
  received: {
    schema: { type: "integer", description: "Bytes of the file that came." },
    of: ofImports,
  },
  allowed: { schema: { anyOf: [{ type: "array", items: text }, text] } },
  reason: { schema: text },
  required_scope: { schema: text, of: ["FORBIDDEN"] },
  required: {
    schema: { ...text, description: "The role that is missing, or `people`." },
    of: ["FORBIDDEN"],
  },
  upgrade_url: { schema: text, of: ["PRO_REQUIRED"] },
  limit_bytes: { schema: { type: "integer" }, of: ["PAYLOAD_TOO_LARGE"] },
  retry_after_seconds: { schema: { type: "integer" } },
  status: { schema: text, of: ofRequest },
  stage: { schema: text, of: ["MAIL_FAILED"] },
  response: { schema: { type: "string", ...ofVisitors }, of: ["MAIL_FAILED"] },
  login_token: {
    schema: { ...text, description: "Send it to POST /auth/login/second." },
    of: ["SECOND_FACTOR_REQUIRED"],
  },
  methods: {
    schema: { type: "array", items: { type: "string", enum: ["totp", "recovery_code"] } },
    of: ["SECOND_FACTOR_REQUIRED"],
  },
  exchange_code: { schema: nullableText, of: ofRequest },
  account_id: { schema: nullableText, of: ofRequest },
  approved_email: { schema: { type: ["string", "null"], ...ofOwner }, of: ofRequest },
  projects: {
    schema: { type: "array", items: { type: "string", ...ofOwner } },
    of: ["PROJECT_IN_OTHER_PORTFOLIO"],
  },
  goals: { schema: { type: "array", items: { type: "string", ...ofOwner } }, of: ofGoals },
  analysis_id: { schema: text, of: ["SCAN_FAILED"] },
  suggested_field: { schema: { type: ["string", "null"], ...ofVisitors } },
  suggested_item: {
    schema: {
      type: "object",
      additionalProperties: { type: "string" },
      ...ofServer,
      description: "Send it instead of the item in `filters`.",
    },
    of: [...filterErrors],
  },
  available_properties: {
    schema: {
      type: "object",
      required: ["events", "property_keys"],
      properties: {
        events: {
          type: "array",
          items: { type: "object", required: ["event"], properties: { event: { type: "string" } } },
        },
        property_keys: { type: "array", items: { type: "string" } },
      },
      ...ofVisitors,
    },
    of: [...filterErrors],
  },
};
