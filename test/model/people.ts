import { inTime, Model, type ModelEvent } from "./model";
import { byCodePoints, date } from "./values";

/**
 * Tells who is who across projects (definitions.md, Identity) by walking over everything that was ever said. It is
 * slow, and too simple to be wrong.
 */
export interface Asked {
  readonly userId: string | null;
  readonly email: string | null;
}

interface Place {
  readonly portfolio: string;
  /** Each joining is another. */
  readonly membership: number;
}

interface Told {
  readonly project: string;
  readonly place: Place | null;
  readonly previousId: string;
  readonly userId: string;
  readonly email: string | null;
  /** The two ids are of one set until the link is taken back. */
  isEdge: boolean;
}

export class PeopleModel {
  private readonly models = new Map<string, Model>();
  private readonly places = new Map<string, Place>();
  private readonly told: Told[] = [];
  private joinings = 0;
  private visits = 0;

  constructor(readonly projects: readonly string[]) {
    for (const project of projects) this.models.set(project, new Model());
  }

  setMembers(portfolio: string, projects: readonly string[]): void {
    for (const member of this.members(portfolio)) {
      if (!projects.includes(member)) this.places.delete(member);
    }
    for (const project of projects) {
      if (this.places.get(project)?.portfolio === portfolio) continue;
      this.places.set(project, { portfolio, membership: this.joinings++ });
    }
  }
  members(portfolio: string): string[] {
    return this.projects.filter((project) => this.places.get(project)?.portfolio === portfolio);
  }

  /** Returns what the event carries, so that its place in the order of ingestion is known. */
  visit(project: string, user: string, timeMs: number): { readonly n: number } {
    const properties = { n: this.visits++ };
    const rest = { session: null, country: null, eventId: null, properties };
    this.model(project).add({ ...rest, timeMs, name: "visit", user }, timeMs);
    return properties;
  }

  identify(project: string, previousId: string, userId: string, email: string | null): void {
    const place = this.places.get(project) ?? null;
    this.told.push({ project, place, previousId, userId, email, isEdge: true });
    if (previousId !== userId) this.model(project).identify(previousId, userId);
  }

  /** Returns whose id it was, and how many events came back; null when it was its own. */
  unlink(project: string, previousId: string): { user_id: string; events: number } | null {
    const model = this.model(project);
    const owner = model.unlink(previousId);
    if (owner === null) return null;
    for (const told of this.told) {
      const { previousId: a, userId: b } = told;
      if (told.project !== project || (a !== previousId && b !== previousId)) continue;
      if (model.behind(a) !== previousId || model.behind(b) !== previousId) told.isEdge = false;
    }
    return { user_id: owner, events: this.eventsOf(project, previousId).length };
  }

  matched(project: string, { userId, email }: Asked): string[] {
    const portfolio = this.places.get(project)?.portfolio;
    const withEmail = this.told.filter(
      (told) =>
        told.email === email &&
        email !== null &&
        (told.project === project || (portfolio !== undefined && this.isOf(told, portfolio))),
    );
    const seeds = [...withEmail.map((told) => told.userId), ...(userId === null ? [] : [userId])];
    const mapped = seeds.map((seed) => this.model(project).behind(seed));
    const found = portfolio === undefined ? mapped : this.widened(mapped, portfolio);
    return [...new Set(found)].sort(byCodePoints);
  }

  journey(project: string, asked: Asked, limit: number) {
    const matched = this.matched(project, asked);
    const portfolio = this.places.get(project)?.portfolio;
    const visited = portfolio === undefined ? [project] : this.members(portfolio);
    const events = visited.flatMap((name) =>
      this.model(name)
        .all()
        .filter(({ user }) => user !== null && matched.includes(user))
        .map((event) => ({ ...event, project: name, order: Number(event.properties?.n) })),
    );
    const shown = events.toSorted(inTime).slice(-limit);
    return {
      user_id: asked.userId,
      matched_user_ids: matched,
      events: shown.map(rowOf),
      count: shown.length,
      profiles: matched.flatMap((user) =>
        visited.toSorted(byCodePoints).flatMap((name) => this.profile(name, user)),
      ),
    };
  }

  /** Counts the events of the project that a person has, by today's user id. */
  counts(project: string, asked: Asked): Readonly<Record<string, number>> {
    const matched = this.matched(project, asked);
    const ofUser = (user: string) => this.eventsOf(project, user).length;
    return Object.fromEntries(
      matched.map((user) => [user, ofUser(user)] as const).filter(([, count]) => count > 0),
    );
  }

  private profile(project: string, user: string) {
    const times = this.eventsOf(project, user).map(({ timeMs }) => timeMs);
    if (times.length === 0) return [];
    const seen = { first_seen: Math.min(...times), last_seen: Math.max(...times) };
    return [{ user_id: user, project, traits: {}, ...seen }];
  }
  private eventsOf(project: string, user: string): readonly ModelEvent[] {
    return this.model(project)
      .all()
      .filter((event) => event.user === user);
  }

  /** All that can be reached, found by going over every pair until nothing is added. */
  private widened(seeds: readonly string[], portfolio: string): string[] {
    const links = this.links(portfolio);
    const found = new Set(seeds);
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const [a, b] of links) {
        if (found.has(a)) found.add(b);
        if (found.has(b)) found.add(a);
      }
    }
    return [...found];
  }
  private links(portfolio: string): [string, string][] {
    const ofPortfolio = this.told.filter((told) => this.isOf(told, portfolio));
    const ofMembers = this.told.filter(
      ({ project }) => this.places.get(project)?.portfolio === portfolio,
    );
    const sameAddress = (among: readonly Told[], isOneScope: (a: Told, b: Told) => boolean) =>
      among.flatMap((a) =>
        among
          .filter((b) => a.email !== null && a.email === b.email && isOneScope(a, b))
          .map((b): [string, string] => [a.userId, b.userId]),
      );
    return [
      ...ofPortfolio
        .filter(({ isEdge }) => isEdge)
        .map(({ previousId, userId }): [string, string] => [previousId, userId]),
      ...sameAddress(ofPortfolio, () => true),
      ...sameAddress(ofMembers, (a, b) => a.project === b.project),
    ];
  }

  /** Said while the project was in the portfolio, where it has been ever since. */
  private isOf({ project, place }: Told, portfolio: string): boolean {
    const now = this.places.get(project);
    return now?.portfolio === portfolio && now.membership === place?.membership;
  }
  private model(project: string): Model {
    const model = this.models.get(project);
    if (model === undefined) throw new Error(`no project ${project}`);
    return model;
  }
}

const rowOf = ({ project, name, properties, user, timeMs }: ModelEvent & { project: string }) => ({
  project,
  event: name,
  properties,
  user_id: user,
  timestamp: timeMs,
  date: date(timeMs),
});
