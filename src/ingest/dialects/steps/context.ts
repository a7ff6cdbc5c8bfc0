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
  visitorId(agent: string, host: string, timeMs: number): string;
  readonly receivedAtMs: number;
}
