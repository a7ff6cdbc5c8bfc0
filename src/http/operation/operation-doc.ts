import type { ErrorCode } from "../../domain/errors";

/** What an agent needs to know of an operation besides its schemas. */
export interface OperationDoc {
  /** The operationId. */
  readonly id: string;
  readonly summary: string;
  /** What it answers, when to use it, and what to do next. */
  readonly description: string;
  readonly tag: string;
  /** Codes besides those that follow from the endpoint index. */
  readonly errors?: readonly ErrorCode[];
  /** Sends the browser on: `sometimes` with an answer of its own in other cases. */
  readonly redirects?: "always" | "sometimes";
  /** Content type, where the answer is not JSON. */
  readonly produces?: string;
  /** A request that is worth copying, and its answer in short. */
  readonly example?: Example;
}

export interface Example {
  readonly input: Readonly<Record<string, unknown>>;
  /** For the parts of the path in braces. */
  readonly params?: Readonly<Record<string, string>>;
  /** With its lists cut short. */
  readonly answer: unknown;
}
