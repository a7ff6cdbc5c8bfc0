import type { EmailDigests } from "../domain/email-digest";
import type { IdentifySenders } from "../domain/identity";
import type { Entry } from "../store/port";
import type { Automated } from "./bots";
import type { Refusal } from "./refusal";
import type { Sent } from "./shape";

/** One request as the steps see it: what was sent, and what `routes.ts` found out about its sender. */
export interface Submission {
  readonly sent: Sent;
  readonly project: Recipient;
  /** The `Origin` header; null is a server. */
  readonly origin: string | null;
  /** The program that sent it; null is a person or a program of the site's own. */
  readonly automated: Automated | null;
  readonly country: string | null;
  readonly receivedAtMs: number;
  readonly allowance: Allowance;
  readonly emailDigests: EmailDigests;
}

/** The project that a token names. */
export interface Recipient {
  readonly id: string;
  readonly accountId: string;
  readonly allowedOrigins: string;
  readonly identify: IdentifySenders;
  readonly membership: { readonly id: string; readonly portfolioId: string } | null;
}

/** What a project may still send. Each call takes from it, and throws RATE_LIMITED when nothing is left. */
export interface Allowance {
  /** One request of this minute. */
  spendRequest(): void;
  /** Events of this month. */
  reserveEvents(count: number): void;
}

export type Outcome = { readonly kind: "accepted"; readonly entry: Entry } | SetAside | Refusal;

/** Acknowledged, and nothing of it is stored. */
export type SetAside =
  | { readonly kind: "automated"; readonly sender: Automated }
  /** The project takes /identify of servers alone. */
  | { readonly kind: "identify off" };
