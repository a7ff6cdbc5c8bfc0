import type { ErrorCode } from "../../domain/errors";

/** What an agent needs to know about an operation besides its schemas. */
export interface OperationDoc {
  /** The operationId. */
  readonly id: string;
  readonly summary: string;
  /** The description: what the operation answers, when to use it, and what to do next. */
  readonly description: string;
  readonly tag: string;
  /** The dashboard's page for the same operation. Agents without a tool for it name this page to their human. */
  readonly page?: ProjectPage;
  /** Codes besides those that follow from the endpoint index. */
  readonly errors?: readonly ErrorCode[];
  /** What a request may say in headers of its own, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the browser on: `sometimes` with an answer of its own in other cases. */
  readonly redirects?: "always" | "sometimes";
  /** Content type, where the answer is not JSON. */
  readonly produces?: string;
  /** A request that is worth copying, and its answer in short. */
  readonly example?: Example;
}

/** A page of a project in the dashboard, as its address names it. */
export type ProjectPage =
  | "overview"
  | "people"
  | "replays"
  | "move"
  | "experiments"
  | `project/${"tracking" | "goals" | "sharing" | "privacy" | "danger"}`;

export interface Example {
  readonly input: Readonly<Record<string, unknown>>;
  /** The values for the parts of the path in braces. */
  readonly params?: Readonly<Record<string, string>>;
  /** The answer, with its lists cut short. */
  readonly answer: unknown;
}
