import { emailsPerUserMax } from "../../../domain/limits";
import type { EmailEntry, IdentityEntry } from "../../port";
import { mergedTraits, type Traits, textOfTraits } from "../../shared/traits";
import type { ClickHouse } from "../client";
import { Bound } from "../sql/bound";
import type { Commit } from "./commit";
import { type Links, type Sender, senderBytes } from "./links";

/** The tables have an empty membership for the project's own scope. */
const ownScope = "";

/** What the tables have about the users that a group names. It is read before, as a commit waits for nothing. */
export class KnownPeople {
  private readonly traits = new Map<string, Traits>();
  private readonly emails = new Map<string, number>();

  constructor(private readonly clickhouse: ClickHouse) {}

  /** Loads the profiles that a group may change: those of the ids in its entries, and of their owners. */
  async load(project: number, links: Links, entries: readonly IdentityEntry[]): Promise<void> {
    const names = [...new Set(entries.flatMap(({ previousId, userId }) => [previousId, userId]))];
    const senders = new Set<string>();
    for (const name of names) {
      const latest = links.latest(name);
      for (const bytes of [latest?.bytes, latest?.owner.bytes, senderBytes(name, 0)]) {
        if (bytes !== undefined) senders.add(Buffer.from(bytes).toString("base64"));
      }
    }
    const bound = new Bound();
    const rows = await this.clickhouse.rows<{ sender: string; told: string }>(
      `select base64Encode(profile.sender) as sender, argMax(traits, commit) as told
      from ${this.clickhouse.database}.profile
      where project = ${bound.integer(project)} and profile.sender in
        (select base64Decode(arrayJoin(${bound.texts([...senders])})))
      group by profile.sender`,
      bound.values,
    );
    for (const { sender, told } of rows) this.traits.set(`${project} ${sender}`, JSON.parse(told));
    await this.loadEmails(project, entries);
  }

  /** Merges traits into those of a user: later values win, and null deletes a key. */
  mergeTraits(commit: Commit, project: number, sender: Sender, traits: Traits): void {
    this.store(commit, project, sender, mergedTraits(this.traitsOf(project, sender), traits));
  }
  /** Copies the traits of a user who is linked to another, whose own traits win. */
  handTraits(commit: Commit, project: number, from: Sender, to: Sender): void {
    const handed = this.traitsOf(project, from);
    if (Object.keys(handed).length === 0) return;
    this.store(commit, project, to, mergedTraits(handed, this.traitsOf(project, to)));
  }
  /** Anyone with the public token can send any number of addresses, so that a user keeps only the first ones. */
  noteEmail(
    commit: Commit,
    project: number,
    { membership, digest }: EmailEntry,
    user: string,
  ): void {
    const scope = membership ?? ownScope;
    const key = JSON.stringify([project, scope, user]);
    const kept = this.emails.get(key) ?? 0;
    if (kept >= emailsPerUserMax) return;
    this.emails.set(key, kept + 1);
    commit.put("email", JSON.stringify([project, scope, user, digest]), (rows) => {
      rows.int64(project).text(scope);
      for (const byte of Buffer.from(digest, "hex")) rows.uint8(byte);
      rows.text(user).int64(commit.number);
    });
  }

  private traitsOf(project: number, { bytes }: Sender): Traits {
    return this.traits.get(`${project} ${Buffer.from(bytes).toString("base64")}`) ?? {};
  }
  private store(commit: Commit, project: number, { bytes }: Sender, traits: Traits): void {
    const text = textOfTraits(traits);
    const key = `${project} ${Buffer.from(bytes).toString("base64")}`;
    this.traits.set(key, JSON.parse(text));
    commit.put("profile", key, (rows) => {
      rows.int64(project).raw(bytes).text(text).int64(commit.number);
    });
  }
  private async loadEmails(project: number, entries: readonly IdentityEntry[]): Promise<void> {
    const users = [
      ...new Set(
        entries.filter(({ emails = [] }) => emails.length > 0).map(({ userId }) => userId),
      ),
    ];
    if (users.length === 0) return;
    const bound = new Bound();
    const rows = await this.clickhouse.rows<{ membership: string; user: string; kept: number }>(
      `select membership, user, uniqExact(digest) as kept from ${this.clickhouse.database}.email
      where project = ${bound.integer(project)} and user in ${bound.texts(users)} group by membership, user`,
      bound.values,
    );
    for (const { membership, user, kept } of rows) {
      this.emails.set(JSON.stringify([project, membership, user]), kept);
    }
  }
}

/** Takes the steps of definitions.md, Identity. */
export function identify(commit: Commit, people: KnownPeople, entry: IdentityEntry): void {
  const { projectId, previousId, userId, traits, membership, emails = [] } = entry;
  const project = commit.numberOf(projectId);
  const { changed, merged, target } = commit.linksOf(project).link(previousId, userId);
  commit.noteLinks(project, changed);
  if (merged !== null) people.handTraits(commit, project, merged, target);
  if (traits !== null) people.mergeTraits(commit, project, target, traits);
  if (membership !== undefined && previousId !== userId) {
    addEdge(commit, project, membership, previousId, userId, true);
  }
  for (const email of emails) people.noteEmail(commit, project, email, userId);
  commit.touch(projectId);
}

/** Stores an edge between two ids in both directions. */
export function addEdge(
  commit: Commit,
  project: number,
  membership: string,
  user: string,
  other: string,
  isThere: boolean,
): void {
  for (const [from, to] of [[user, other] as const, [other, user] as const]) {
    commit.put("identity_edge", JSON.stringify([project, membership, from, to]), (rows) => {
      rows.int64(project).text(membership).text(from).text(to);
      rows.uint8(isThere ? 1 : 0).int64(commit.number);
    });
  }
}
