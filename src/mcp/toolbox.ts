import type { Caller } from "../domain/caller";
import { invalidField } from "../domain/errors";
import type { OperationName } from "../http/operation/facts";
import type { Json } from "../http/operation/openapi-schemas";
import type { Operation } from "../http/operation/operation";
import {
  divided,
  moreReadsDescription,
  moreReadsName,
  moreReadsWords,
  ofTexts,
} from "./more-reads";
import { inputSchemaOf, moreReadsSchema, outputSchema } from "./tool-schema";
import { type Arguments, isOpenTo, moreReads, type Tool, tools } from "./tools";

/** An operation that a tool asks, with what it takes. */
export interface Step {
  readonly operation: Operation;
  readonly input: Arguments;
  /** The values for the parts of the path in braces; that of a project may go without saying. */
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
    const schema = this.#schema(more, () => moreReadsSchema(more, moreReadsWords(more)));
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

  /** Tells whether `more_reads` can call the operation with this id. */
  hasMore(id: unknown): boolean {
    return this.#more.some(({ doc }) => doc.id === id);
  }

  /** Returns the operations that a call of a tool asks. Throws ApiError. */
  stepsOf(name: string, args: Arguments, caller: Caller): readonly Step[] {
    if (name === moreReadsName) return [this.#moreStep(args)];
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return [];
    if (tool.choose !== undefined)
      return [this.#chosenStep(tool, tool.choose(args, caller), args, caller)];
    const asked = [...tool.operations, ...(tool.beside ?? [])];
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
    const isOpen = (name: OperationName) => isOpenTo(this.#named(name), caller);
    if (tool.asks === "all")
      return open.length === all.length && (tool.beside ?? []).every(isOpen) ? all : [];
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
    const schema = this.#schema(open, () => inputSchemaOf(tool.name, open, isRead));
    const annotations = isRead ? readAnnotations : writeAnnotationsOf(tool);
    return shownTool(tool.name, tool.description, schema, annotations);
  }

  #schema(operations: readonly Operation[], make: () => Json): Json {
    const key = operations.map(({ name }) => name).join(", ");
    const schema = this.#schemas.get(key) ?? make();
    this.#schemas.set(key, schema);
    return schema;
  }

  /** The tool shows the fields of all its operations, so that one of another operation is no mistake. */
  #chosenStep(tool: Tool, name: OperationName, args: Arguments, caller: Caller): Step {
    const step = stepOf(this.#named(name), args);
    const shown = new Set(
      this.#openOf(tool, caller).flatMap(({ takes }) => Object.keys(takes.properties ?? {})),
    );
    const known = knownOf(step);
    const input = Object.entries(step.input).filter(
      ([field]) => Object.hasOwn(known, field) || !shown.has(field),
    );
    return { ...step, input: Object.fromEntries(input) };
  }

  #moreStep({ operation: id, arguments: sent, ...others }: Arguments): Step {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw invalidField(unknown, 'more_reads takes only "operation" and "arguments".');
    }
    const operation = this.#more.find(({ doc }) => doc.id === id);
    const ids = this.#more.map(({ doc }) => doc.id);
    if (operation === undefined) {
      throw invalidField("operation", `"operation" must be one of ${ids.join(", ")}.`, ids);
    }
    return stepOf(operation, ofTexts(operation, sent));
  }
}

const stepOf = (operation: Operation, args: Arguments): Step => ({
  operation,
  ...divided(operation, args),
});

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
