import type { Caller } from "../domain/caller";
import { invalidField } from "../domain/errors";
import type { OperationName } from "../http/operation/endpoint-index";
import { isObject } from "../http/operation/input";
import type { Json } from "../http/operation/openapi-schemas";
import type { Operation } from "../http/operation/operation";
import { inputSchemaOf, moreReadsSchema, outputSchema, pathPartsOf } from "./tool-schema";
import { type Arguments, isOpenTo, moreReads, type Tool, tools } from "./tools";

const moreReadsName = "more_reads";
const moreReadsDescription =
  "Reads that have no tool of their own: insights, heatmap, session lengths, lookups of persons, replays, " +
  "portfolios, usage, account. /openapi.json has their fields.";

/** An operation that a tool asks, with what it takes. */
export interface Step {
  readonly operation: Operation;
  readonly input: Arguments;
  /** The values for the parts of the path in braces. */
  readonly params: Readonly<Record<string, string>>;
}

/** The tools over the operations that this server has. */
export class Toolbox {
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #more: readonly Operation[];
  /** Input schemas are made once for each set of operations. */
  readonly #schemas = new Map<string, Json>();

  constructor(
    /** All that this server can be asked. */
    readonly operations: readonly Operation[],
  ) {
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]));
    this.#more = moreReads(operations);
  }

  /** Returns the tools as `tools/list` shows them to a caller. */
  shownTo(caller: Caller): readonly Json[] {
    const own = tools.flatMap((tool) => {
      const open = this.#openOf(tool, caller);
      return open.length === 0 ? [] : [this.#shown(tool, open)];
    });
    const more = this.#more.filter((operation) => isOpenTo(operation, caller));
    if (more.length === 0) return own;
    const schema = this.#schema(more, () => moreReadsSchema(more));
    const shown = shownTool(moreReadsName, moreReadsDescription, schema, readAnnotations);
    // Before what writes, as the last of the reads.
    const writes = own.findIndex((tool) => tool.annotations !== readAnnotations);
    return writes < 0 ? [...own, shown] : own.toSpliced(writes, 0, shown);
  }

  /** Tells whether a tool reads, and takes bounds for its rows; null for a name that no tool has. */
  isRead(name: string): boolean | null {
    if (name === moreReadsName) return true;
    const tool = tools.find((one) => one.name === name);
    return tool === undefined ? null : tool.kind === "read";
  }

  /** Returns the operations that a call of a tool asks. Throws ApiError. */
  stepsOf(name: string, args: Arguments, caller: Caller): readonly Step[] {
    if (name === moreReadsName) return [this.#moreStep(args)];
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return [];
    const asked = tool.choose === undefined ? tool.operations : [tool.choose(args, caller)];
    const steps = asked.map((one) => stepOf(this.#named(one), args));
    // One that asks several takes what the first of them takes; the others get what they know of it.
    return steps.map((step, at) => (at === 0 ? step : { ...step, input: knownOf(step) }));
  }

  /** A question about one project, for what is no tool. */
  aboutProject(name: OperationName, project: string): Step {
    return { operation: this.#named(name), input: { project }, params: {} };
  }

  isOpen(name: OperationName, caller: Caller): boolean {
    return isOpenTo(this.#named(name), caller);
  }

  #openOf(tool: Tool, caller: Caller): readonly Operation[] {
    const all = tool.operations.map((name) => this.#named(name));
    const open = all.filter((operation) => isOpenTo(operation, caller));
    if (tool.asks === "all") return open.length === all.length ? all : [];
    const chosen = tool.choose?.({}, caller);
    // If the operation depends on the caller, only that of this caller is shown.
    return tool.name === "journey" ? open.filter(({ name }) => name === chosen) : open;
  }

  #named(name: OperationName): Operation {
    const found = this.#operations.get(name);
    if (found === undefined) throw new Error(`There is no operation ${name} for a tool.`);
    return found;
  }

  #shown(tool: Tool, open: readonly Operation[]): Json {
    const isRead = tool.kind === "read";
    const schema = this.#schema(open, () => inputSchemaOf(open, isRead));
    const annotations = isRead ? readAnnotations : writeAnnotationsOf(tool);
    return shownTool(tool.name, tool.description, schema, annotations);
  }

  #schema(operations: readonly Operation[], make: () => Json): Json {
    const key = operations.map(({ name }) => name).join(", ");
    const schema = this.#schemas.get(key) ?? make();
    this.#schemas.set(key, schema);
    return schema;
  }

  #moreStep({ operation: id, arguments: sent, ...others }: Arguments): Step {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw invalidField(unknown, "more_reads takes operation and arguments.");
    }
    const operation = this.#more.find(({ doc }) => doc.id === id);
    const ids = this.#more.map(({ doc }) => doc.id);
    if (operation === undefined) {
      throw invalidField("operation", `"operation" must be one of ${ids.join(", ")}.`, ids);
    }
    if (sent !== undefined && sent !== null && !isObject(sent)) {
      throw invalidField("arguments", '"arguments" must be an object.');
    }
    return stepOf(operation, sent ?? {});
  }
}

function stepOf(operation: Operation, args: Arguments): Step {
  const input: Record<string, unknown> = { ...args };
  const params: Record<string, string> = {};
  for (const part of pathPartsOf(operation.name)) {
    const value = input[part];
    if (typeof value !== "string" || value === "") {
      throw invalidField(part, `"${part}" is required, as text.`);
    }
    params[part] = value;
    delete input[part];
  }
  return { operation, input, params };
}

const knownOf = ({ operation, input }: Step): Arguments => {
  const known = new Set(Object.keys(operation.takes.properties ?? {}));
  return Object.fromEntries(Object.entries(input).filter(([name]) => known.has(name)));
};

const readAnnotations: Json = { readOnlyHint: true, openWorldHint: false };

const writeAnnotationsOf = ({ kind, isIdempotent = false }: Tool): Json => ({
  readOnlyHint: false,
  destructiveHint: kind === "change",
  idempotentHint: isIdempotent,
  openWorldHint: false,
});

const shownTool = (
  name: string,
  description: string,
  inputSchema: Json,
  annotations: Json,
): Json => ({ name, description, inputSchema, outputSchema, annotations });
