/*
 * A recording has 512 MiB of JSON.
 * Decision: besides its 50 MiB as stored, a replay ends at 512 MiB of JSON.
 * Because: what compresses a thousandfold would take its reader minutes.
 * Cost: pages that change megabytes a second are cut short.
 */

import { dayMs, hourMs, minuteMs } from "../../lib/clock";

/** Every bound of session replay, named with its unit. */

// Bounds of one replay
/** The duration of a replay from its start call. */
export const replayMsMax = 60 * minuteMs;
/** The bytes of a replay as stored. */
export const replayBytesMax = 50 * 1024 * 1024;
/** When read: a small replay must not be one that takes a reader minutes. */
export const replayJsonBytesMax = 512 * 1024 * 1024;
export const replaySegmentsMax = 10_000;
export const replayIdleMs = 30 * minuteMs;

// Bounds of one segment
export const segmentBytesMax = 1024 * 1024;
export const segmentJsonBytesMax = 5 * 1024 * 1024;
export const recordedEventsMax = 5_000;
/** The distance between the time that an event names and ours, either way. */
export const eventDistanceMsMax = 24 * hourMs;
export const flushIntervalMs = 5_000;
/** Start and finish calls, which say little. */
export const callJsonBytesMax = 64 * 1024;
export const recordedUrlCharsMax = 2_000;

// Segments on their way to the disk
export const segmentQueueBytesMax = 64 * 1024 * 1024;
export const segmentGroupMax = 32;
export const segmentGroupBytesMax = 4 * 1024 * 1024;
/** Groups start no closer together, unless one is full: a fifth less processor time at 200 segments a second. */
export const segmentGroupEveryMs = 50;

// Settings
export const selectorsMax = 50;
export const selectorCharsMax = 200;
export const replayRetentionDaysMax = 365;
export const replayRetentionDaysDefault = 30;

// Reading
export const replaysListedMax = 100;
export const replaysListedDefault = 20;
/** The replays of a session in the rows of GET /sessions. */
export const sessionReplaysMax = 10;
export const viewerMs = 60 * minuteMs;
export const viewerSegmentsMax = 20;
/** The bytes of one answer of the viewer, unless its first segment is larger. */
export const viewerJsonBytesMax = 8 * 1024 * 1024;
export const timelineEntriesMax = 500;
/** The entries of one replay's timeline; those after them are not told. */
export const timelineKeptMax = 5_000;
export const timelineLabelCharsMax = 60;
export const timelinePageCharsMax = 200;
/** The number of the session's newest tracked events that a timeline has. */
export const timelineEventsMax = 1_000;
/** Nodes of one page whose labels are known. */
export const pageNodesMax = 200_000;

// Keeping
export const replaySummaryKeptMs = 30 * dayMs;
