import { dayMs, hourMs, minuteMs, secondMs } from "../lib/clock";

/** Every bound of the service, named with its unit. Lengths count Unicode code points, bytes count UTF-8. */

// Requests
export const bodyBytesMax = 1024 * 1024;
/** Longer bodies, in UTF-16 units, wait for each other; at most this number may. */
export const largeBodyCharsMin = 64 * 1024;

// Events
export const eventNameCharsMax = 256;
export const userIdCharsMax = 256;
export const sessionIdCharsMax = 256;
export const eventIdCharsMax = 64;
export const batchEventsMax = 100;
export const propertiesBytesMax = 8 * 1024;
export const propertiesDepthMax = 64;
/** The addresses under which one user id can be found; later ones are not kept. */
export const emailsPerUserMax = 1_000;
export const actorCharsMax = 64;
export const genericActorsPerDayMax = 200;

// Ingestion
export const rowsWaitingMax = 200_000;
export const arrivalKindsMax = 20;
export const arrivalTextCharsMax = 128;

// Reads
export const pageLimitMax = 1_000;
export const pageLimitDefault = 100;
/** Names of events, and keys of properties, in one answer: the most frequent ones. */
export const eventNamesMax = 1_000;
export const propertyKeysMax = 2_000;
export const queryFiltersMax = 20;
/** Fields that rows are grouped by. */
export const queryGroupingsMax = 4;
/** Groups that one read may count at a time: some 80 bytes each. */
export const countGroupsMax = 8_000_000;
/** The most different values of a property that `once_per` can tell apart. */
export const oncePerValuesMax = 4_000_000;
export const propertyKeyCharsMax = 128;
export const pathExitPagesMax = 50;
export const funnelStepsMax = 8;
export const anyItemsMax = 10;
/**
 * The length of a filter value in code points: no stored text that can equal it is longer than the properties
 * themselves.
 */
export const filterValueCharsMax = 8_192;
/** A session id of 256 characters, each escaped, in base64. */
export const cursorCharsMax = 4_096;

// Live reads
export const liveHeartbeatMs = 30 * secondMs;
export const liveFramesBehindMax = 1_000;
export const socketMessageBytesMax = 4 * 1024;

// Accounts and projects
export const passwordCharsMin = 10;
export const passwordCharsMax = 200;
export const emailCharsMax = 254;
export const projectNameCharsMax = 64;
export const allowedOriginsMax = 20;
export const originCharsMax = 2_048;
export const portfolioProjectsMax = 50;
export const cookieSessionMs = 30 * dayMs;
/** The codes that stand in for an authenticator app, made at a time. */
export const recoveryCodesMax = 10;
/** For this long after a log-in or POST /auth/confirm a person may do what needs a fresh sign-in. */
export const freshSignInMs = 15 * minuteMs;

// The demo
export const demoDates = 120;
/** After midnight UTC, when its dates move. */
export const demoMovesAtMs = 5 * minuteMs;

// Agent sign-in
export const accessTokenMs = 1 * hourMs;
/** A refresh token lives this long after the last refresh. */
export const refreshTokenMs = 90 * dayMs;

// Contexts: what the numbers mean
export const definitionCharsMax = 240;
export const annotationsMax = 100;

// Feedback
export const feedbackListMax = 200;

// Experiments
export const experimentNameCharsMax = 64;
export const variantKeyCharsMax = 64;
export const variantsMin = 2;
export const variantsMax = 4;
/** Nothing is concluded while any variant has fewer exposures than this. */
export const sufficientExposures = 100;
