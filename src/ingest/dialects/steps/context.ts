import type { Submission } from "../../submission";

/** The facts about a request and its sender that the steps may read. */
export interface ItemContext {
  /** The `Origin` header; null is a server. */
  readonly origin: string | null;
  /** The User-Agent of the request. */
  readonly requestAgent: string | null;
  /** Tells whether a server whose items name no agent is judged by its own. */
  readonly judgesServers: boolean;
  /** The country of the request's address. */
  country(): string | null;
  /** The rule of the project that excludes the request's address, or this country. */
  excludedSender(country: string | null): Submission["excludedSender"];
  visitorId(agent: string, host: string, timeMs: number): string;
  readonly receivedAtMs: number;
}
