/*
 * Anybody may ask, so asking is bounded.
 * Decision: sign-in requests go a day after they have ended, or before when those that nobody approved take too much
 * room (`strangers.ts`); ended sessions go after 90 days, and a session has 1,000 access tokens at most.
 * Because: starting needs no credential; refusing new requests would let one sender lock out all.
 * Cost: who starts thousands an hour pushes others out after hours.
 * Revisit: if sign-in is ever limited by more than the address.
 */

import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { answersChallenge } from "../../domain/challenge";
import type { Tier } from "../../domain/plan";
import type { Scope } from "../../domain/scope";
import { clock, hourMs, minuteMs } from "../../lib/clock";
import { equalInConstantTime, newId, newToken, sha256Hex } from "../../lib/ids";
import { Seal } from "../../lib/seal";
import { type AuthRequestRow, authRequest } from "./agent-tables";
import { note } from "./audit";
import type { Control } from "./control";
import type { MemberId } from "./keys";
import { person } from "./member-tables";
import { noteApproved } from "./oauth-clients";
import { personById } from "./people";
import { strangersBounds } from "./strangers";
import { account } from "./tables";

/** The time from the start of a request to its approval. */
export const approvalMs = { interactive: 15 * minuteMs, detached: 24 * hourMs };
/** The time from the approval to the exchange. */
export const exchangeCodeMs = { interactive: 5 * minuteMs, detached: 60 * minuteMs };
export const wrongCodesMax = 5;

/** A request as it is now: what is stored of it, and what time has made of that. */
export interface AuthRequest extends Omit<AuthRequestRow, "state"> {
  readonly state: AuthRequestRow["state"] | "expired";
  /** The member who approved it. */
  readonly approver: Approver | null;
}
/** A person, and the account for which they approve. */
export interface Approver extends MemberId {
  readonly email: string;
  readonly tier: Tier;
  readonly complimentary: boolean;
}

interface AuthRequestInput {
  readonly mode: AuthRequestRow["mode"];
  readonly clientType: string;
  readonly clientName: string | null;
  readonly clientInstanceId: string | null;
  readonly label: string | null;
  readonly scopes: readonly Scope[];
  readonly callbackUrl: string | null;
  readonly codeChallenge: string | null;
  readonly metadata: string | null;
  /** The id of a client that signs in by OAuth. */
  readonly oauthClientId?: string;
  readonly oauthState?: string | null;
  readonly resource?: AuthRequestRow["resource"];
  /** The scopes that the person may add. */
  readonly offeredScopes?: string;
}

const approvalAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const approvalChars = 8;
/** The alphabet has 32 characters, so each is as likely as any other. */
const newApprovalCode = (): string =>
  [...randomBytes(approvalChars)].map((byte) => approvalAlphabet[byte % 32]).join("");

/** Opens a request for approval. The poll token is in what it returns and nowhere else. */
export function openRequest(
  control: Control,
  asked: AuthRequestInput,
): { readonly row: AuthRequestRow; readonly pollToken: string } {
  const nowMs = clock.nowMs();
  const pollToken = newToken("aap");
  const row = control.write(() => {
    control.room.make(control.db, strangersBounds.authRequests);
    return control.db
      .insert(authRequest)
      .values({
        ...asked,
        id: newId("req"),
        state: "pending",
        scopes: asked.scopes.join(" "),
        approvalCode: newApprovalCode(),
        pollTokenHash: sha256Hex(pollToken),
        createdAtMs: nowMs,
        expiresAtMs: nowMs + approvalMs[asked.mode],
      })
      .returning()
      .get();
  });
  return { row, pollToken };
}

export function requestById({ db }: Control, id: string): AuthRequest | null {
  const found = db
    .select({ row: authRequest, account, person })
    .from(authRequest)
    .leftJoin(account, eq(account.id, authRequest.accountId))
    .leftJoin(person, eq(person.id, authRequest.personId))
    .where(eq(authRequest.id, id))
    .get();
  if (found === undefined) return null;
  const { row, account: approvedFor, person: by } = found;
  const state = stateOf(row, approvedFor?.deletedAtMs ?? null);
  if (approvedFor === null || by === null) return { ...row, approver: null, state };
  const { id: accountId, tier, complimentary } = approvedFor;
  const approver = { accountId, personId: by.id, email: by.email, tier, complimentary };
  return { ...row, approver, state };
}

function stateOf(row: AuthRequestRow, accountDeletedAtMs: number | null): AuthRequest["state"] {
  if (row.state === "exchanged" || row.state === "revoked") return row.state;
  // Nobody signs in to an account that is gone.
  if (accountDeletedAtMs !== null) return "revoked";
  return row.expiresAtMs <= clock.nowMs() ? "expired" : row.state;
}

/**
 * Approves a pending request: a member does, for the account. Of `added`, the scopes that were offered are granted too.
 * Returns null when it is pending no more.
 */
export function approve(
  control: Control,
  id: string,
  { accountId, personId }: MemberId,
  added: readonly string[] = [],
): AuthRequest | null {
  return control.write(() => {
    const asked = requestById(control, id);
    if (asked?.state !== "pending") return null;
    const code = newToken("aae");
    const offered = asked.offeredScopes?.split(" ") ?? [];
    const scopes = [asked.scopes, ...offered.filter((scope) => added.includes(scope))].join(" ");
    if (asked.oauthClientId !== null) noteApproved(control, asked.oauthClientId);
    control.db
      .update(authRequest)
      .set({
        state: "approved",
        ...{ accountId, personId },
        scopes,
        exchangeCodeHash: sha256Hex(code),
        exchangeCodeSealed: codeSeal(control).close(code, id),
        expiresAtMs: clock.nowMs() + exchangeCodeMs[asked.mode],
      })
      .where(eq(authRequest.id, id))
      .run();
    const { email = null } = personById(control, personId) ?? {};
    note(control, {
      ...{ accountId, actor: { kind: "cookie", id: personId, email }, action: "agent_approved" },
      target: { type: "agent", id, ...(asked.clientName !== null && { name: asked.clientName }) },
      details: { scopes: scopes.split(" ") },
    });
    return requestById(control, id);
  });
}

/** Denies a pending request. Null when it is pending no more. */
export const deny = (control: Control, id: string): AuthRequest | null =>
  control.write(() => {
    if (requestById(control, id)?.state !== "pending") return null;
    end(control, id, "revoked");
    return requestById(control, id);
  });

const end = ({ db }: Control, id: string, state: "exchanged" | "revoked"): void => {
  db.update(authRequest)
    .set({ state, exchangeCodeSealed: null })
    .where(eq(authRequest.id, id))
    .run();
};

/** The code of an approved request. Null in every other state, and when IDENTITY_SECRET is no longer what it was. */
export function exchangeCodeOf(
  control: Control,
  { id, state, exchangeCodeSealed }: AuthRequest,
): string | null {
  if (state !== "approved" || exchangeCodeSealed === null) return null;
  return codeSeal(control).open(exchangeCodeSealed, id);
}

const codeSeal = ({ identitySecret }: Control): Seal =>
  new Seal(identitySecret, "sightline exchange code");

export const isPollToken = ({ pollTokenHash }: AuthRequest, token: string): boolean =>
  equalInConstantTime(sha256Hex(token), pollTokenHash);

interface Proof {
  readonly code: string;
  readonly verifier: string | undefined;
}
export type Taken<T> =
  | { readonly kind: "taken"; readonly begun: T }
  | { readonly kind: "refused"; readonly request: AuthRequest | null }
  | { readonly kind: "wrong code" }
  | { readonly kind: "wrong verifier" };

/**
 * Takes an approved request to its end, for exactly one of those who come for it: `begin` runs in the same transaction.
 * A wrong proof counts, and the last one allowed revokes the request.
 */
export function takeRequest<T>(
  control: Control,
  id: string,
  { code, verifier }: Proof,
  begin: (request: AuthRequest, approver: Approver) => T,
): Taken<T> {
  const seen = requestById(control, id);
  // Only what is approved changes, so that guessing at ids writes nothing.
  if (seen?.state !== "approved") return { kind: "refused", request: seen };
  return control.write((): Taken<T> => {
    const request = requestById(control, id);
    const approver = request?.approver ?? null;
    if (request?.state !== "approved" || approver === null) return { kind: "refused", request };
    const isCode = equalInConstantTime(sha256Hex(code), request.exchangeCodeHash ?? "");
    if (!isCode) return countWrong(control, request, "wrong code");
    if (!answersChallenge(verifier, request.codeChallenge)) {
      return countWrong(control, request, "wrong verifier");
    }
    end(control, id, "exchanged");
    return { kind: "taken", begun: begin(request, approver) };
  });
}

function countWrong(
  control: Control,
  { id, wrongCodes }: AuthRequest,
  kind: "wrong code" | "wrong verifier",
): Taken<never> {
  const counted = wrongCodes + 1;
  const { db } = control;
  db.update(authRequest).set({ wrongCodes: counted }).where(eq(authRequest.id, id)).run();
  if (counted >= wrongCodesMax) end(control, id, "revoked");
  return { kind };
}
