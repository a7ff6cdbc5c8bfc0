import type { BlockedIds } from "../domain/blocked-ids";
import type { EmailDigests } from "../domain/email-digest";
import type { ApiError } from "../domain/errors";
import type { Exclusions } from "../domain/exclusions/exclusions";
import type { ExclusionReason } from "../domain/exclusions/rules";
import type { IdentifySenders } from "../domain/identity";
import type { ObjectText } from "../lib/object-text";
import type { Entry } from "../store/port";
import type { Automated } from "./bots";
import type { JsonObject } from "./properties";
import type { Refusal } from "./refusal";

/** One request on its way through ingestion: its body, and what `ingest-service.ts` looked up for it. */
export interface Submission {
  readonly body: SubmittedBody;
  readonly project: Recipient;
  /** The `Origin` header; null is a server. */
  readonly origin: string | null;
  /** The program that sent it; null is a person or a program of the site's own. */
  readonly automated: Automated | null;
  readonly country: string | null;
  /** The rule of the project that excludes the sender, whose address goes no further than to it. */
  readonly excludedSender: "ip" | "country" | null;
  readonly receivedAtMs: number;
}

/** An event of a body. Its fields have the right JSON types, and nothing more is sure. Null is the same as absent. */
export interface SubmittedEvent {
  readonly token?: string | null;
  readonly event?: string | null;
  readonly properties?: JsonObject | ObjectText | null;
  readonly user_id?: string | null;
  readonly session_id?: string | null;
  /** The times may have any type, as all their rules have one code of their own. */
  readonly timestamp?: unknown;
  readonly sent_at?: unknown;
  readonly event_id?: string | null;
}

export interface SubmittedIdentity {
  readonly token?: string | null;
  readonly previous_id?: string | null;
  readonly user_id?: string | null;
  readonly traits?: JsonObject | null;
  /** Looked at only while the server's clock is in doubt, whatever its type. */
  readonly sent_at?: unknown;
}

/** The body of a request, of the right shape. */
export type SubmittedBody =
  | {
      readonly kind: "events";
      readonly events: readonly SubmittedEvent[];
      /** Stands in for items without a token of their own. */
      readonly token: string | null;
      /** Stands in for items without a `sent_at` of their own; of any type, like theirs. */
      readonly sentAt: unknown;
      /** Tells whether refusals name the item. */
      readonly isBatch: boolean;
      /** The places of the events in the request, where exclusions have left out others. */
      readonly places?: readonly number[];
    }
  | { readonly kind: "identity"; readonly identity: SubmittedIdentity };

/** The project that a token names. */
export interface Recipient {
  readonly id: string;
  readonly accountId: string;
  readonly allowedOrigins: string;
  readonly identify: IdentifySenders;
  readonly membership: { readonly id: string; readonly portfolioId: string } | null;
  readonly exclusions: Exclusions | null;
  readonly blocked: BlockedIds | null;
}

/** What a step may ask beside the submission. Each answer is a value: nothing here throws. */
export interface StepContext {
  readonly limits: ProjectLimits;
  readonly clock: ServerClock;
  readonly disk: ServerDisk;
  readonly emailDigests: Pick<EmailDigests, "of">;
}

/** What a project may still send. Each call takes from it, and returns an error when nothing is left. */
export interface ProjectLimits {
  /** Takes one request of this minute. */
  takeRequest(): ApiError | null;
  /** Takes events of this month. */
  takeEvents(count: number): ApiError | null;
}

export interface ServerClock {
  isTrusted(): boolean;
  /** Returns the error for an event whose time would depend on a doubtful clock; a witness is a sender that agrees. */
  refusal(hasWitness: boolean): ApiError | null;
}

export interface ServerDisk {
  /** Returns the error while nothing can be stored, as the disk is full. */
  refusal(): ApiError | null;
}

/** An event that is not stored because of a rule of the project, or because its id is blocked. */
export interface ExcludedEvent {
  readonly reason: ExclusionReason;
  readonly sessionId: string | null;
}

export type Outcome = Accepted | SetAside | Refusal | NotNow;

export interface Accepted {
  readonly kind: "accepted";
  readonly entry: Entry;
  /** The other events of the request; absent where all are stored. */
  readonly excluded?: readonly ExcludedEvent[];
}

/** Acknowledged, and nothing of it is stored. */
export type SetAside =
  | { readonly kind: "automated"; readonly sender: Automated }
  /** The project takes /identify of servers alone. */
  | { readonly kind: "identify off" }
  /** Rules of the project exclude all of it. */
  | { readonly kind: "excluded"; readonly events: readonly ExcludedEvent[] };

/** Refused for what the server or the project has left, not for what was sent: the error says when to send it again. */
export interface NotNow {
  readonly kind: "not now";
  readonly error: ApiError;
}
