/*
 * Rows that anybody can make are bounded in bytes.
 * Decision: `strangersBounds` has every table in which people without an account make rows, with its bytes. Beyond
 * them the oldest rows make way.
 * Because: a number of rows bounds nothing while a row may be long: registrations of 79 kB made 1.6 GB of control.db.
 * Refusing new rows instead would let one sender lock out all others.
 * Cost: whoever makes thousands of rows an hour ends what others have begun. The file has three times as much: it
 * has a copy of each row, and pages that are not full.
 * Revisit: if a server that nobody attacks reaches a bound.
 */

import { isNull } from "drizzle-orm";
import { agentSession, authRequest } from "./agent-tables";
import { oauthClient } from "./oauth-tables";
import type { RowsBound } from "./room";
import { websiteScan } from "./scan-tables";

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

const oauthClients: RowsBound = {
  table: oauthClient,
  isStrangers: isNull(oauthClient.approvedAtMs),
  texts: [oauthClient.name, oauthClient.redirectUris],
  rowBytesMax: 8 * kilobyte,
  bytesMax: 6 * megabyte,
};

/** Requests to sign in that nobody has approved, those that were denied or whose time is over among them. */
const authRequests: RowsBound = {
  table: authRequest,
  isStrangers: isNull(authRequest.accountId),
  texts: [
    ...[authRequest.clientType, authRequest.clientName, authRequest.clientInstanceId],
    ...[authRequest.label, authRequest.scopes, authRequest.offeredScopes],
    ...[authRequest.callbackUrl, authRequest.oauthClientId],
    ...[authRequest.metadata, authRequest.oauthState],
  ],
  rowBytesMax: 36 * kilobyte,
  bytesMax: 20 * megabyte,
};

/** Sessions of the demo, which have no refresh token. */
const demoSessions: RowsBound = {
  table: agentSession,
  isStrangers: isNull(agentSession.refreshHash),
  texts: [agentSession.clientType, agentSession.scopes],
  rowBytesMax: kilobyte,
  bytesMax: 10 * megabyte,
};

const scans: RowsBound = {
  table: websiteScan,
  isStrangers: isNull(websiteScan.accountId),
  texts: [
    ...[websiteScan.normalizedUrl, websiteScan.hostname],
    ...[websiteScan.preview, websiteScan.result, websiteScan.snippet],
  ],
  rowBytesMax: 24 * kilobyte,
  bytesMax: 50 * megabyte,
};

export const strangersBounds = { oauthClients, authRequests, demoSessions, scans } as const;
