/**
 * A ticket numbers events in order of ingestion: milliseconds since 2020 × 4096 + a counter. It is a safe integer until
 * 2089 and carries all that is needed to print the event's ULID again and again.
 */
const epochMs = Date.UTC(2020, 0, 1);
export const counterSpan = 4096;
const ticketMax = Number.MAX_SAFE_INTEGER;

export const ticketTimeMs = (ticket: number): number => Math.floor(ticket / counterSpan) + epochMs;
export const ticketCounter = (ticket: number): number => ticket % counterSpan;
export const ticketOf = (timeMs: number, counter: number): number =>
  (timeMs - epochMs) * counterSpan + counter;

/** The first ticket of a commit. Ascends whatever the clock does, a clock before 2020 or after 2089 included. */
export function nextTicket(lastTicket: number, nowMs: number): number {
  const wanted = ticketOf(nowMs, 0);
  return wanted > lastTicket && wanted < ticketMax ? wanted : lastTicket + 1;
}

/** 48 bits of time, then counter (15), project (35) and a constant (30): unique, ascending, reproducible. */
export function ulid(projectNumber: number, ticket: number): string {
  const timeMs = ticketTimeMs(ticket);
  const high = Math.floor(timeMs / 2 ** 20);
  const counter = ticketCounter(ticket);
  return (
    pairs[high >> 20] +
    pairs[(high >> 10) & 1_023] +
    pairs[high & 1_023] +
    pairs[(timeMs % 2 ** 20) >> 10] +
    pairs[timeMs % 1_024] +
    pairs[counter >> 5] +
    crockford[counter & 31] +
    projectText(projectNumber) +
    "S1GHT1"
  );
}

/** The ticket that an id was made of, whatever its project is. */
export function ticketOfUlid(id: string): number {
  const numberOf = (digits: string): number =>
    [...digits].reduce((sum, digit) => sum * 32 + crockford.indexOf(digit), 0);
  return ticketOf(numberOf(id.slice(0, 10)), numberOf(id.slice(10, 13)));
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Two digits at a time: an id has 20 of them, a page of events 1,000 ids. */
const pairs = Array.from(crockford, (high) => Array.from(crockford, (low) => high + low)).flat();

/** 7 digits. */
const projectText = (project: number): string =>
  pairs[Math.floor(project / 2 ** 25)] +
  pairs[Math.floor(project / 2 ** 15) % 1_024] +
  pairs[(project >> 5) & 1_023] +
  crockford[project & 31];
