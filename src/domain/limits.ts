import { dayMs, hourMs, minuteMs, secondMs } from "../lib/clock";

/** Every bound of the service, named with its unit. Lengths count Unicode code points, bytes count UTF-8. */

// Requests
export const bodyBytesMax = 1024 * 1024;
/** Longer bodies, in UTF-16 units, wait for each other; at most this number may. */
export const largeBodyCharsMin = 64 * 1024;
/** No single event needs more; longer bodies of ingestion are parsed for a token that somebody has. */
export const ordinaryBodyCharsMax = 12 * 1024;
export const largeBodiesWaitingMax = 128;
export const projectContextBodyBytesMax = 512 * 1024;
export const requestIdCharsMax = 64;
/** A request whose head or body is not complete by then is closed. */
export const requestReadMsMax = 30 * secondMs;

// Answers that their clients have yet to take
/** Larger answers are handed over in pieces of this size. */
export const answerPieceBytes = 64 * 1024;
export const unsentBytesMax = 128 * 1024 * 1024;
/** Of an account, or of a network where nobody is logged in. */
export const unsentBytesPerHolderMax = 32 * 1024 * 1024;

// Events
export const eventNameCharsMax = 256;
export const userIdCharsMax = 256;
export const sessionIdCharsMax = 256;
export const eventIdCharsMax = 64;
export const batchEventsMax = 100;
export const propertiesBytesMax = 8 * 1024;
export const propertiesDepthMax = 64;
/** Of the traits of one user; those that were set longest ago fall away. */
export const profileBytesMax = 64 * 1024;
/** Under which one user id can be found; later ones are not kept. */
export const emailsPerUserMax = 1_000;
export const timestampPastMsMax = 30 * dayMs;
export const timestampFutureMsMax = 5 * minuteMs;
export const actorCharsMax = 64;
/** Longer agents are judged again each time, so that remembered ones stay small. */
export const rememberedAgentCharsMax = 512;
export const rememberedAgentsMax = 4_096;
export const genericActorsPerDayMax = 200;

// Ingestion
/** Of a group under load, for a writer that has nothing else to do. The contract allows 5. */
export const groupWaitMsMax = 2;
export const ingestQueueEventsMax = 100_000;
export const ingestQueueBytesMax = 256 * 1024 * 1024;
export const rowsWaitingMax = 200_000;
export const automatedFlushMs = 1 * secondMs;
/** What arrived and was not stored is told for this long. */
export const arrivalsKeptMs = 15 * minuteMs;
export const arrivalProjectsMax = 1_000;
export const arrivalKindsMax = 20;
export const arrivalTextCharsMax = 128;
export const idempotencyMs = 48 * hourMs;
export const idempotencyMemoryBytesMax = 64 * 1024 * 1024;

// Segments
export const segmentPropertyColumnsMax = 256;
export const segmentEventsMax = 262_144;
/** A day with fewer shares a segment with the other days of its month. */
export const segmentColumnsEventsMin = 512;

// Reads
export const readBudgetMs = 10 * secondMs;
export const readStartMsMax = 5 * secondMs;
export const readQueueMax = 64;
export const smallReadEventsMax = 200_000;
/** Before compression. Few events may be large: a read of this many bytes takes as long as one of many events. */
export const smallReadBytesMax = 8 * 1024 * 1024;
export const sinceDaysMax = 3_650;
export const pageLimitMax = 1_000;
export const pageLimitDefault = 100;
export const statsTopEventsMax = 20;
export const queryFiltersMax = 20;
/** Of one request. */
export const queriesMax = 20;
/** Fields that rows are grouped by. */
export const queryGroupingsMax = 4;
/** Groups that one read may count at a time: some 80 bytes each. */
export const countGroupsMax = 8_000_000;
/** The same for POST /query. */
export const queryGroupsMax = 1_000_000;
/** Of the tables that one question of a read makes beside the cache: groups, different values, users and sessions. */
export const questionBytesMax = 600 * 1024 * 1024;
/** Ids of one person that a lookup follows. */
export const identitySetIdsMax = 10_000;
export const propertyKeyCharsMax = 128;
export const propertyKeysSampleEvents = 1_000;
/** Names, keys and pairs of both in one answer: the most frequent ones. */
export const eventNamesMax = 1_000;
export const propertyKeysMax = 2_000;
export const receivedPairsMax = 20_000;
/** Of each kind, in an error that names what there is. */
export const suggestedNamesMax = 50;
export const receivedSampleMin = 100;
export const receivedSampleMax = 10_000;
export const receivedSampleDefault = 5_000;
export const breakdownLimitDefault = 20;
export const pagesLimitDefault = 20;
export const dayCohortsMax = 30;
export const longCohortsMax = 12;
export const cohortsDefault = 8;
export const pathStepsMax = 5;
export const pathEntriesMax = 20;
export const pathEntriesDefault = 10;
export const pathBranchesMax = 10;
export const pathBranchesDefault = 5;
export const pathSessionsMin = 100;
export const pathSessionsMax = 10_000;
export const pathExitPagesMax = 50;
/** Of all trees before they are cut, some 300 bytes each. */
export const pathNodesMax = 1_000_000;
export const funnelStepsMin = 2;
export const funnelStepsMax = 8;
export const funnelHoursMax = 8_760;
export const funnelHoursDefault = 168;
export const funnelBreakdownMax = 50;
export const funnelBreakdownDefault = 10;
export const inValuesMax = 100;
/** Of a group of filters, of which one must hold. */
export const anyItemsMin = 2;
export const anyItemsMax = 10;
/** As JSON in a query string. */
export const filtersTextCharsMax = 32_768;
/** Of a filter value, in code points: no stored text that can equal it is longer than the properties themselves. */
export const filterValueCharsMax = 8_192;
/** A session id of 256 characters, each escaped, in base64. */
export const cursorCharsMax = 4_096;

// Live reads
/** Of the buffer of one project; age goes by the time of receipt. */
export const liveKeptMs = 5 * minuteMs;
export const liveEventsMax = 10_000;
export const liveWindowSecondsMin = 10;
export const liveWindowSecondsMax = 300;
export const liveWindowSecondsDefault = 60;
export const livePagesMax = 10;
export const liveNamesMax = 10;
export const liveCountriesMax = 12;
export const liveRecentMax = 10;
/** Streams and sockets of an account together. */
export const liveConnectionsMax = 10;
export const liveFilterPairsMax = 20;
export const liveNamesWantedMax = 100;
export const liveHeartbeatMs = 30 * secondMs;
export const liveInactivityMs = 30 * minuteMs;
/** The contract allows 60 s, and looks are a moment late. */
export const liveRecheckMs = 30 * secondMs;
export const liveFramesBehindMax = 1_000;
/** Until a connection that was closed for not reading is cut. */
export const liveHangUpMs = 5 * secondMs;
export const socketAuthMs = 5 * secondMs;
export const socketMessageBytesMax = 4 * 1024;
export const socketSnapshotSecondsMin = 2;
export const socketSnapshotSecondsMax = 60;
/** Sockets that have not said yet who they are: all together, and of one network. */
export const socketsUnknownMax = 1_024;
export const socketsUnknownPerNetworkMax = 32;
/** Per socket: 1,000 frames behind, and the largest commit on top. */
export const socketBufferBytesMax = 32 * 1024 * 1024;

// Accounts and projects
export const objectIdCharsMax = 32;
export const apiKeyPrefixChars = 12;
export const passwordCharsMin = 10;
export const passwordCharsMax = 200;
export const emailCharsMax = 254;
export const projectNameCharsMax = 64;
export const allowedOriginsMax = 20;
export const originCharsMax = 2_048;
export const portfolioNameCharsMax = 120;
export const portfolioProjectsMax = 50;
export const usageDaysMax = 90;
export const usageDaysDefault = 7;
export const cookieSessionMs = 30 * dayMs;
/** Browsers of one account; beyond that, the one that was not seen for the longest is logged out. */
export const cookieSessionsMax = 100;
export const browserLabelCharsMax = 64;
/** A cookie in use is renewed when this much of its time is gone, not with every request. */
export const cookieRenewalMs = 1 * dayMs;
export const loginFailuresMax = 10;
export const loginWindowMs = 15 * minuteMs;
/**
 * Whose failures are remembered; beyond that the longest silent one is forgotten. A failure costs a hash, and in the
 * time for which it counts there are fewer of them than this: none is forgotten too early, whoever comes.
 */
export const loginGuessersMax = 100_000;
/** Password hashes take a core each: one at a time of each kind of asker, and this many may wait. */
export const passwordQueueMax = 128;
export const readCountFlushMs = 1 * secondMs;
export const deletedKeptMs = 30 * dayMs;
/** Website scans, that of nobody and that of an account. */
export const anonymousScanKeptMs = 30 * dayMs;
export const ownedScanKeptMs = 365 * dayMs;
/** After an account has lost Pro, its events are still kept for as long as Pro keeps them. */
export const downgradeGraceMs = 30 * dayMs;

// The demo
export const demoDates = 45;
/** On each of them. */
export const demoSessionsMin = 200;
/** After this long without a session of it, it is removed. */
export const demoUnusedMs = 7 * dayMs;
/** After midnight UTC, when its dates move. */
export const demoMovesAtMs = 5 * minuteMs;

// Payments
/** Between the time in a webhook's signature and ours, either way. */
export const webhookToleranceMs = 300 * secondMs;
export const webhookEventsKeptMs = 30 * dayMs;
export const webhookEventIdCharsMax = 255;
export const checkoutTextCharsMax = 4_000;
/** Of one attempt to reach the payment provider, of which there are two. */
export const paymentProviderMsMax = 8 * secondMs;

// Agent sign-in
export const clientTypeCharsMax = 64;
export const clientTextCharsMax = 200;
export const callbackUrlCharsMax = 2_000;
export const scopesAskedMax = 100;
export const metadataBytesMax = 4 * 1024;
export const verifierCharsMin = 43;
export const verifierCharsMax = 128;
/** From the start of a request to its approval. */
export const approvalMs = { interactive: 15 * minuteMs, detached: 24 * hourMs };
/** From the approval to the exchange. */
export const exchangeCodeMs = { interactive: 5 * minuteMs, detached: 60 * minuteMs };
export const wrongCodesMax = 5;
/** Requests that wait for approval; beyond that the oldest makes way. */
export const openAuthRequestsMax = 20_000;
/** What became of a request can be asked for this long after its end. */
export const authRequestKeptMs = 1 * dayMs;
export const agentSessionsListedMax = 200;
/** Ended sessions are listed for this long. */
export const endedSessionKeptMs = 90 * dayMs;
/** Of one session; beyond that the oldest stop. */
export const accessTokensMax = 1_000;
export const accessTokenMs = 1 * hourMs;
/** From the last refresh. */
export const refreshTokenMs = 90 * dayMs;
/** However often it is refreshed. */
export const agentSessionMs = 365 * dayMs;
export const demoSessionMs = 30 * minuteMs;
/** Holders of credentials whose last use is remembered; beyond that all are noted again. */
export const rememberedUsesMax = 10_000;

// Contexts: what the numbers mean
export const goalsMax = 5;
export const goalCharsMax = 160;
export const activationEventsMax = 8;
/** Of a milestone, an activation event, and the event that a glossary entry explains. */
export const milestoneCharsMax = 96;
export const glossaryMax = 10;
export const termCharsMax = 64;
export const definitionCharsMax = 240;
export const annotationsMax = 100;
export const annotationTitleCharsMax = 120;
export const annotationNoteCharsMax = 500;
export const surfacesMax = 20;
export const surfaceProjectCharsMax = 96;
export const surfaceRoleCharsMax = 120;
export const milestonesMax = 12;
export const portfolioGlossaryMax = 12;
export const portfolioTermCharsMax = 80;

// Feedback
export const feedbackCharsMax = 4_000;
export const feedbackProjectCharsMax = 96;
export const feedbackCommandCharsMax = 1_000;
export const feedbackListMax = 200;
/** Of one account; beyond that the oldest makes way. */
export const feedbackKeptMax = 1_000;

// Experiments
export const experimentNameCharsMax = 64;
export const variantKeyCharsMax = 64;
export const variantsMin = 2;
export const variantsMax = 4;
/** Below that, of any variant, nothing is concluded. */
export const sufficientExposures = 100;

// Rates, per minute
export const signInPerMinuteMax = 10;
export const startPerMinuteMax = 20;
export const pollPerMinuteMax = 60;
export const demoPerMinuteMax = 60;
export const cookiePerMinuteMax = 600;
