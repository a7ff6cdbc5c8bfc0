import { randomUUID } from "node:crypto";
import { clock, secondMs } from "../../../lib/clock";
import type { AutomatedEntry, IdentityEntry, InsertFigures } from "../../port";
import { StorageFailed } from "../../protocol/failure";
import type { Committed } from "../../shared/append/committed";
import { parseGroup } from "../../shared/append/wire";
import { type ClickHouse, ClickHouseRefused, ClickHouseUnreachable } from "../client";
import type { Moment } from "../moment";
import { mutationsEnded, NotRemoved } from "../remove";
import { AutomatedSums } from "./automated";
import { Commit } from "./commit";
import { dropLists, ErasedList, hasLists } from "./erased-list";
import { handOverEvents, removeLinks, removeMost, removeRest } from "./erasing";
import { Inserts } from "./inserts";
import { insertMsMax, Owner, OwnerLost } from "./owner";
import { addEdge, identify, KnownPeople } from "./people";
import { handOverLinks, personOf } from "./person";
import { recallState, type State } from "./state";
import { edgesOf, loadLinks, loadReceived } from "./stored";
import { removeMembership, removeUnseen } from "./sweep";

/** The deletion of a person's links is some rows; a new process waits for no longer than that takes. */
const linksMsMax = 10 * secondMs;

/**
 * The only writer of the tables, which stores groups and changes one after the other. A commit is stored when its rows
 * in `committed` are. No read sees the rows of a commit that failed, and they are removed before the next one.
 */
export class Writer {
  private state: State | null;
  private last: Promise<unknown> = Promise.resolve();
  private failedAtMs = 0;
  private isLost = false;
  private readonly inserting: Inserts;

  private constructor(
    private readonly clickhouse: ClickHouse,
    private readonly owner: Owner,
    state: State,
    private readonly onFatal: (why: string) => void,
  ) {
    this.state = state;
    this.moment = state.moment;
    this.inserting = new Inserts(clickhouse, owner);
  }

  /** The moment that reads which begin now see. */
  moment: Moment;

  static async open(clickhouse: ClickHouse, onFatal: (why: string) => void): Promise<Writer> {
    const owner = new Owner(clickhouse);
    await owner.take();
    await linksAreWhole(clickhouse);
    await dropLists(clickhouse);
    const state = await recallState(clickhouse);
    const writer = new Writer(clickhouse, owner, state, onFatal);
    owner.keep((lost) => writer.ended(lost));
    return writer;
  }
  get inserts(): InsertFigures {
    return this.inserting.figures;
  }
  get isFailed(): boolean {
    return this.state === null;
  }

  /** Stores all of a group of requests (shared/append/wire.ts), or none of it. */
  commit(group: string): Promise<Committed> {
    return this.inTurn(async (state) => {
      const { requests, lines } = parseGroup(group);
      const commit = new Commit(state, lines, clock.nowMs());
      const entries = requests.flat();
      const people = new KnownPeople(this.clickhouse);
      const sums = new AutomatedSums(this.clickhouse);
      for (const [projectId, own] of Map.groupBy(entries, (entry) => entry.projectId)) {
        const number = commit.numberOf(projectId);
        await loadLinks(this.clickhouse, commit, number);
        const identities = own.filter((entry): entry is IdentityEntry => entry.kind === "identity");
        if (identities.length > 0) await people.load(number, commit.linksOf(number), identities);
        const automated = own.filter(
          (entry): entry is AutomatedEntry => entry.kind === "automated",
        );
        if (automated.length > 0) await sums.load(number, automated);
      }
      const stored = requests.map((request) => {
        let fresh = 0;
        for (const entry of request) {
          if (entry.kind === "events") fresh += commit.addEvents(entry);
          else if (entry.kind === "identity") identify(commit, people, entry);
          else sums.add(commit, entry);
        }
        return fresh;
      });
      await this.store(state, commit);
      state.keys.stored(commit.nowMs);
      return commit.committed(stored);
    });
  }

  /** Hides events before this time from now on. The bound never moves back. */
  forget(projectId: string, retainedFromMs: number): Promise<void> {
    return this.change((commit) => {
      const number = commit.numberOf(projectId);
      const before = commit.find(projectId)?.retainedFromMs ?? 0;
      commit.place(projectId, { number, retainedFromMs: Math.max(before, retainedFromMs) });
    });
  }
  /** Sets each bound that lies ahead of a time back: see EventStore.showAgain. */
  showAgain(aheadOfMs: number, retainedFromMs: number): Promise<void> {
    return this.change((commit) => {
      for (const [name, project] of this.moment.projects) {
        if (project.retainedFromMs > aheadOfMs) commit.place(name, { ...project, retainedFromMs });
      }
    });
  }
  /** Removes the project's number, and with it everything that is stored under it. */
  purge(projectId: string): Promise<void> {
    return this.change((commit) => {
      if (commit.find(projectId) !== undefined) {
        commit.place(projectId, { number: 0, retainedFromMs: 0 });
      }
    });
  }
  replaceProject(projectId: string, stagingId: string): Promise<void> {
    return this.change((commit) => {
      const staging = commit.find(stagingId) ?? { number: 0, retainedFromMs: 0 };
      commit.place(projectId, staging);
      commit.place(stagingId, { number: 0, retainedFromMs: 0 });
    });
  }
  unlink(projectId: string, previousId: string, membership: string | null): Promise<string | null> {
    return this.change(async (commit) => {
      const number = commit.find(projectId)?.number;
      if (number === undefined) return null;
      await loadLinks(this.clickhouse, commit, number);
      const links = commit.linksOf(number);
      const found = links.unlink(previousId);
      if (found === null) return null;
      commit.noteLinks(number, found.changed);
      commit.touch(projectId);
      if (membership !== null) {
        for (const other of await edgesOf(this.clickhouse, number, membership, previousId)) {
          const owner = links.latest(other)?.owner.name ?? other;
          if (owner !== previousId) addEdge(commit, number, membership, previousId, other, false);
        }
      }
      return found.owner;
    });
  }

  /**
   * Deletes everything of these ids, and of those that stand for them. `alone` runs work while no read does. After a
   * failure it can be called again, and there is one call at a time.
   */
  async erase(projectId: string, userIds: readonly string[], alone: Alone): Promise<void> {
    const list = new ErasedList(this.clickhouse);
    const number = await this.inTurn(async (state) => {
      const known = state.project(projectId)?.number;
      if (known === undefined) return null;
      const commit = new Commit(state, [], clock.nowMs());
      await loadLinks(this.clickhouse, commit, known);
      await list.note(personOf(commit.linksOf(known), userIds));
      return known;
    });
    if (number === null) return;
    await this.outOfTurn(() => removeMost(this.clickhouse, number, list));
    await this.inTurn((state) => this.eraseRest(state, projectId, userIds, list, alone));
    await this.outOfTurn(() => dropLists(this.clickhouse));
  }

  /** Deletes the rows of a membership that has ended, which no read has found since then. */
  endMembership(projectId: string, membership: string): Promise<void> {
    return this.inTurn(async ({ moment }) => {
      const number = moment.projects.get(projectId)?.number ?? 0;
      await removeMembership(this.clickhouse, number, membership);
    });
  }
  /** Deletes rows that no read can need any more. */
  sweep(): Promise<void> {
    return this.inTurn(({ moment }) => removeUnseen(this.clickhouse, moment));
  }

  /** Resolves when all work that was begun before is done. */
  async close(): Promise<void> {
    await this.last.catch(() => undefined);
    await this.owner.release().catch(() => undefined);
  }
  /** Returns whether ClickHouse takes commits again. */
  probe(): Promise<void> {
    return this.inTurn(async () => undefined);
  }

  private change<Answer>(work: (commit: Commit) => Answer | Promise<Answer>): Promise<Answer> {
    return this.inTurn(async (state) => {
      const commit = new Commit(state, [], clock.nowMs());
      const answer = await work(commit);
      await this.store(state, commit);
      return answer;
    });
  }

  private inTurn<Answer>(work: (state: State) => Promise<Answer>): Promise<Answer> {
    const done = this.last.then(
      () => this.guarded(work),
      () => this.guarded(work),
    );
    this.last = done;
    return done;
  }
  private async guarded<Answer>(work: (state: State) => Promise<Answer>): Promise<Answer> {
    try {
      this.state ??= await this.recall();
      return await work(this.state);
    } catch (error) {
      if (this.state !== null) this.failedAtMs = performance.now();
      this.state = null;
      if (error instanceof OwnerLost) this.ended(error);
      throw failureOf(error);
    }
  }
  /** A failure here does not change the writer's state. */
  private outOfTurn(work: () => Promise<void>): Promise<void> {
    return work().catch((error: unknown) => {
      throw failureOf(error);
    });
  }
  private ended({ message }: OwnerLost): void {
    if (this.isLost) return;
    this.isLost = true;
    this.onFatal(message);
  }
  /** Refuses as long as ClickHouse may still execute an insert whose answer was lost. */
  private async recall(): Promise<State> {
    if (performance.now() - this.failedAtMs < insertMsMax)
      throw new StorageFailed("CLICKHOUSE_WAITS");
    await this.owner.check();
    await linksAreWhole(this.clickhouse);
    return recallState(this.clickhouse);
  }

  private async eraseRest(
    state: State,
    projectId: string,
    userIds: readonly string[],
    list: ErasedList,
    alone: Alone,
  ): Promise<void> {
    const { clickhouse } = this;
    const number = state.project(projectId)?.number;
    if (number === undefined) return;
    const commit = new Commit(state, [], clock.nowMs());
    await loadLinks(clickhouse, commit, number);
    const person = personOf(commit.linksOf(number), userIds);
    await list.note(person);
    if (person.former.length > 0) {
      await alone(() => handOverEvents(clickhouse, number, person, list));
    }
    await removeRest(clickhouse, number, list);
    commit.noteLinks(number, handOverLinks(person));
    commit.touch(projectId);
    await this.store(state, commit);
    await removeLinks(clickhouse, number, list);
    state.links.delete(number);
    const last = new Commit(state, [], clock.nowMs());
    last.touch(projectId);
    await this.store(state, last);
  }

  private async store(state: State, commit: Commit): Promise<void> {
    await loadReceived(this.clickhouse, state, commit);
    const { inserts, marker, moment } = commit.finish();
    // The tokens are of this attempt alone, as a commit that was removed may have had the same number.
    const attempt = randomUUID();
    await this.owner.check();
    await this.inserting.all(inserts, attempt);
    await this.inserting.one(marker, attempt);
    await this.owner.check();
    state.usedCommit = moment.lastCommit;
    state.usedTicket = moment.lastTicket;
    state.moment = moment;
    this.moment = moment;
  }
}

/** Runs work while no read does. */
type Alone = (work: () => Promise<void>) => Promise<void>;

function failureOf(error: unknown): unknown {
  if (error instanceof ClickHouseRefused) return new StorageFailed(`CLICKHOUSE_${error.code}`);
  const isOfStorage =
    error instanceof ClickHouseUnreachable ||
    error instanceof OwnerLost ||
    error instanceof NotRemoved;
  return isOfStorage ? new StorageFailed("CLICKHOUSE") : error;
}

/** While the links of a person are deleted, some are there and some are not: they are read before or after. */
async function linksAreWhole(clickhouse: ClickHouse): Promise<void> {
  if (await hasLists(clickhouse)) await mutationsEnded(clickhouse, "user_link", linksMsMax);
}
