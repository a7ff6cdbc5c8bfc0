import type { ApiError } from "../../domain/errors";
import type { AcceptedEvent } from "../../domain/event";
import type { Deps } from "../../http/deps";
import type { Entry } from "../../store/port";
import type { Automated } from "../bots";
import type { ForeignEvent, ForeignIdentity } from "../foreign/item";
import { admit } from "../pipeline";
import { Quota } from "../quota";
import type { ExcludedEvent, NotNow, ProjectLimits, Submission } from "../submission";
import type { Tally } from "../tally";
import type { ItemVerdict } from "./dialect";
import type { OpenSessions } from "./visitors/open-sessions";

/** An item as a submission to one of the projects that it is for. */
export interface Addressed {
  readonly item: ForeignEvent | ForeignIdentity;
  readonly submission: Submission;
}

/**
 * One request on its way to the store. Its items are judged one by one; those that are accepted are stored in one
 * commit, all or none, and nothing is acknowledged before it.
 */
export class Delivery {
  readonly #entries: Entry[] = [];
  /** The events of the last entry, where that has events. */
  #events: AcceptedEvent[] = [];
  readonly #shares = new Map<string, ProjectShare>();

  constructor(
    private readonly deps: Deps,
    private readonly tally: Tally,
    private readonly sessions: OpenSessions,
  ) {}

  /** Judges an item for one project, which may have reached a limit; or the clock is in doubt. */
  judge({ item, submission }: Addressed): ItemVerdict | NotNow {
    const { control, disk, trustedTime: clock } = this.deps;
    const limits = this.#shareOf(submission);
    const context = { limits, clock, disk, emailDigests: control.emailDigests };
    const outcome = admit(submission, context);
    if (outcome.kind === "not now") this.tally.noteError(submission, outcome.error);
    if (outcome.kind === "not now" || outcome.kind === "refused") return outcome;
    if (outcome.kind === "accepted") {
      this.#take(outcome.entry, item, limits);
      return "accepted";
    }
    if (outcome.kind === "excluded") limits.excluded.push(...outcome.events);
    if (outcome.kind === "automated" && item.kind === "event") limits.addAutomated(outcome.sender);
    return "filtered";
  }

  /** Tells whether a project takes anything that is none of these. */
  takesBeside(projectIds: ReadonlySet<string>): boolean {
    return this.#entries.some(({ projectId }) => !projectIds.has(projectId));
  }

  /** Stores what was accepted. Nothing is stored when it throws. */
  async store(): Promise<void> {
    if (this.#entries.length > 0) {
      const { stored } = await this.deps.store.append(this.#entries);
      this.#settle(stored);
    }
    for (const share of this.#shares.values()) share.countFiltered(this.tally);
  }

  /** Gives back what was taken of the limits, unless it was stored. */
  release(): void {
    for (const { quota } of this.#shares.values()) quota.release();
  }

  /** Puts an entry with those before it; its session is found now that its time and its user are known. */
  #take(entry: Entry, item: ForeignEvent | ForeignIdentity, share: ProjectShare): void {
    const { projectId } = share;
    if (entry.kind === "identity") {
      this.sessions.handOver(projectId, entry.previousId, entry.userId);
      this.#entries.push(entry);
    }
    if (entry.kind !== "events" || item.kind !== "event") return;
    const choosesSessions = typeof item.session === "string" || undefined;
    const last = this.#entries.at(-1);
    const goesWithLast =
      last?.kind === "events" &&
      last.projectId === projectId &&
      last.choosesSessions === choosesSessions;
    if (!goesWithLast) {
      this.#events = [];
      this.#entries.push({
        ...entry,
        events: this.#events,
        ...(choosesSessions && { choosesSessions }),
      });
    }
    for (const event of entry.events) this.#events.push(this.#inSession(event, item, projectId));
    share.events += entry.events.length;
  }

  #inSession(event: AcceptedEvent, item: ForeignEvent, projectId: string): AcceptedEvent {
    if (typeof item.session !== "string" || event.userId === null) return event;
    const isNew = item.session === "new";
    const sessionId = this.sessions.join(projectId, event.userId, event.timeMs, isNew);
    return { ...event, sessionId };
  }

  /** Repeats are not stored again. Repeats in a request to several projects count, as their project is unknown. */
  #settle(stored: number): void {
    const shares = [...this.#shares.values()].filter(({ events }) => events > 0);
    for (const share of shares) {
      const ofShare = shares.length === 1 ? stored : share.events;
      share.quota.settle(ofShare);
      this.tally.countStored(share.arrival, ofShare);
    }
  }

  #shareOf(arrival: Submission): ProjectShare {
    const { id } = arrival.project;
    const known = this.#shares.get(id);
    if (known !== undefined) return known;
    const made = new ProjectShare(new Quota(this.deps, arrival.project), arrival);
    this.#shares.set(id, made);
    return made;
  }
}

/** The part of a request that is for one project: all of its items are one request to the limits of that. */
class ProjectShare implements ProjectLimits {
  events = 0;
  readonly excluded: ExcludedEvent[] = [];
  /** The answer to the request that was taken of this minute. */
  #request: { readonly error: ApiError | null } | null = null;
  readonly #automated = new Map<string, { readonly sender: Automated; events: number }>();

  constructor(
    readonly quota: Quota,
    readonly arrival: Submission,
  ) {}

  get projectId(): string {
    return this.arrival.project.id;
  }

  takeRequest(): ApiError | null {
    this.#request ??= { error: this.quota.takeRequest() };
    return this.#request.error;
  }

  takeEvents(count: number): ApiError | null {
    return this.quota.takeEvents(count);
  }

  addAutomated(sender: Automated): void {
    const known = this.#automated.get(sender.actor);
    if (known === undefined) this.#automated.set(sender.actor, { sender, events: 1 });
    else known.events += 1;
  }

  countFiltered(tally: Tally): void {
    tally.countExcluded(this.arrival, this.excluded);
    for (const { sender, events } of this.#automated.values())
      tally.countAutomated(this.arrival, sender, events);
  }
}
