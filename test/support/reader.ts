import { reads } from "../../src/features/reads";
import { runReader } from "../../src/store/events/read/reader-thread";
import { brokenRead, deafRead, slowRead } from "./timed-reads";

/** The reader thread of the tests: it knows a few reads more, which take the time that a test wants. */
runReader(
  new Map([
    ...reads,
    ...[slowRead, deafRead, brokenRead].map((read) => [read.name, read] as const),
  ]),
);
