import { runReader } from "../../../src/store/events/read/reader-thread";
import { brokenRead, deafRead, slowRead } from "./timed-reads";

/**
 * The reader thread of tests of threads: it knows only reads that take the time that a test wants. To load those of the
 * features takes most of what a start costs.
 */
runReader(new Map([slowRead, deafRead, brokenRead].map((read) => [read.name, read])));
