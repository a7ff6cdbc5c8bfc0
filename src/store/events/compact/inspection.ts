/*
 * The inspection of texts follows the commit.
 * Decision: the compactor inspects the dictionaries of new segments: columns at once, rows when they are a second old.
 * The writer stores the flagged texts together with the progress.
 * Because: neither an acknowledgement nor a read waits for it. Under load rows are columns after a second, so each
 * distinct value is inspected once and not with each event. A merge of inspected segments needs no inspection.
 * Cost: at most a fifth of the compactor's time. A value is flagged after two seconds while other events arrive, and
 * after six if none do.
 * Revisit: if events have to wait for their inspection.
 */

import type { Database } from "bun:sqlite";
import { flagOf } from "../../../domain/trust/flagged";
import { isHarmless } from "../../../domain/trust/flags";
import { failureOf } from "../../protocol/failure";
import { parseString } from "../../shared/json-text";
import { type Fault, faultOf } from "../protocol/messages";
import { textsInTraits, type VisitorText, VisitorTexts } from "../segment/visitor-texts";
import { hashSeedOf } from "../tables";
import type { FlaggedText, InspectionNote, StoredProfile } from "./inspection-note";
import { SeenHashes } from "./seen-hashes";

/** A round takes this long … */
const sliceMs = 15;
/** … and then the inspection rests four times as long. */
const restsPerWork = 4;
/** Younger rows are not inspected, as a merge may soon turn them into columns. */
const youngMs = 1_000;
/** The flagged texts of one message to the writer, which stores them in one transaction. */
const flaggedPerNote = 1_000;
const usersPerLook = 1_000;
const profilesPerLook = 100;

interface ToInspect {
  readonly id: number;
  readonly project: number;
  readonly lastTime: number;
}
/** The result of one call of `find`. */
export interface Inspected {
  readonly note: InspectionNote | null;
  readonly faults: readonly Fault[];
  readonly isMoreToCome: boolean;
}
interface Work {
  readonly segment: ToInspect;
  readonly flagged: Map<string, FlaggedText>;
  readonly steps: Generator<void>;
}

/** Finds the texts of visitors that rules flag. It inspects a text once, or rarely more often. */
export class Inspection {
  private readonly texts: VisitorTexts;
  private readonly seen: SeenHashes;
  private readonly setAside = new Set<number>();
  private work: Work | null = null;
  private readonly ready: InspectionNote[] = [];
  /** The newest segment whose rows are old enough for the inspection. */
  private oldId = 0;
  private newestId = 0;
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Tells whether the last search found no segment to inspect. */
  private isAllSeen = true;
  private restsUntilMs = 0;
  private seenLinks = 0;
  /** Projects that may have users to inspect: all of them at the start. */
  private readonly projects = new Set<number>();

  /** `nowMs` is a monotonic clock. */
  constructor(
    private readonly db: Database,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.texts = new VisitorTexts(db);
    this.seen = new SeenHashes(hashSeedOf(db));
    for (const [id] of db.query("select id from project").values()) this.projects.add(Number(id));
  }

  find(): Inspected {
    const startedAtMs = this.nowMs();
    const faults: Fault[] = [];
    if (this.ready.length > 0 || startedAtMs < this.restsUntilMs) return this.found(faults);
    this.lookAtAge(startedAtMs);
    const isInTime = (): boolean => this.nowMs() - startedAtMs < sliceMs;
    do {
      if (!this.goOn(faults)) break;
    } while (isInTime() && this.ready.length === 0);
    if (this.ready.length === 0 && this.work === null) this.lookAtPeople(isInTime);
    this.restsUntilMs = this.nowMs() + restsPerWork * (this.nowMs() - startedAtMs);
    return this.found(faults);
  }

  private found(faults: readonly Fault[]): Inspected {
    const note = this.ready.shift() ?? null;
    const isAllSeen = this.isAllSeen && this.projects.size === 0;
    const isMoreToCome = note !== null || !isAllSeen || this.newestId > this.oldId;
    return { note, faults, isMoreToCome };
  }

  private lookAtAge(nowMs: number): void {
    if (nowMs - this.lookedAtMs < youngMs) return;
    this.lookedAtMs = nowMs;
    this.oldId = this.newestId;
    const [[newest]] = this.db.query("select max(id) from segment").values() as [[number | null]];
    this.newestId = newest ?? 0;
  }

  /** Continues with a segment. Returns false if there is none to inspect. */
  private goOn(faults: Fault[]): boolean {
    this.work ??= this.begin();
    this.isAllSeen = this.work === null;
    if (this.work === null) return false;
    const { segment, flagged, steps } = this.work;
    try {
      if (steps.next().done !== true) return true;
      this.projects.add(segment.project);
      this.give([...flagged.values()], { segments: [segment.id] });
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== "fault" && failure.kind !== "damaged") throw error;
      this.setAside.add(segment.id);
      faults.push(faultOf("looking at texts", segment.project, error));
    }
    this.work = null;
    return true;
  }

  private begin(): Work | null {
    const parameters = [this.oldId, JSON.stringify([...this.setAside])] as const;
    const segment = this.db.query(nextSegment).get(...parameters) as ToInspect | null;
    if (segment === null) return null;
    const { id, project, lastTime } = segment;
    const flagged = new Map<string, FlaggedText>();
    const steps = this.texts.of(id, (text) => this.look(text, project, lastTime, flagged));
    return { segment, flagged, steps };
  }

  private look(
    { field, key, json }: VisitorText,
    project: number,
    lastTimeMs: number | null,
    flagged: Map<string, FlaggedText>,
  ): void {
    const text = parseString(json);
    if (isHarmless(text)) return;
    const hash = this.seen.hashOf(json);
    if (this.seen.has(hash)) return;
    const flag = flagOf(text);
    if (flag === null) {
      // Ids of sessions and users rarely repeat, and would displace texts that do.
      if (field !== "session_id" && field !== "user_id") this.seen.add(hash);
      return;
    }
    const place = `${flag.digest} ${field} ${key}`;
    if (!flagged.has(place)) {
      flagged.set(place, { ...flag, project, field, key, text, lastTimeMs });
    }
  }

  /** Inspects user ids and traits, which lie outside segments. Numbers and marks show which of them are new. */
  private lookAtPeople(isInTime: () => boolean): void {
    const links = this.db.query(projectsLinkedAfter).values(this.seenLinks) as [number, number][];
    for (const [project, version] of links) {
      this.projects.add(project);
      this.seenLinks = Math.max(this.seenLinks, version);
    }
    const profiles = this.db.query(newProfiles).all(profilesPerLook) as StoredProfile[];
    const ofProfiles = new Map<string, FlaggedText>();
    for (const { project, traits } of profiles) {
      this.projects.add(project);
      textsInTraits(traits, (text) => this.look(text, project, null, ofProfiles));
    }
    if (profiles.length > 0) this.give([...ofProfiles.values()], { profiles });
    for (const project of this.projects) {
      if (this.ready.length > 0) break;
      this.lookAtUsers(project, isInTime);
    }
  }

  /** Inspects many users for one note, as there may be millions and a round of maintenance sends one note. */
  private lookAtUsers(project: number, isInTime: () => boolean): void {
    const flagged = new Map<string, FlaggedText>();
    let upTo = 0;
    do {
      const users = this.usersAfter(project, upTo);
      if (users.length < usersPerLook) this.projects.delete(project);
      for (const [number, name] of users) {
        upTo = number;
        const text: VisitorText = { field: "user_id", key: "", json: JSON.stringify(name) };
        this.look(text, project, null, flagged);
      }
    } while (this.projects.has(project) && isInTime() && flagged.size < flaggedPerNote);
    if (upTo > 0) this.give([...flagged.values()], { users: [[project, upTo]] });
  }
  private usersAfter(project: number, after: number): [number: number, name: string][] {
    const parameters = { project, after, limit: usersPerLook };
    return this.db.query(newUsers).values(parameters) as [number, string][];
  }

  /** Divides flagged texts into notes of limited size. The last note has the inspected data. */
  private give(flagged: readonly FlaggedText[], inspected: Partial<InspectionNote>): void {
    let at = 0;
    for (; flagged.length - at > flaggedPerNote; at += flaggedPerNote) {
      this.ready.push({ ...nothing, flagged: flagged.slice(at, at + flaggedPerNote) });
    }
    this.ready.push({ ...nothing, ...inspected, flagged: flagged.slice(at) });
  }
}

const nothing: InspectionNote = { flagged: [], segments: [], users: [], profiles: [] };

const nextSegment = `
  select id, project_id as project, last_time as lastTime from current_segment
  where is_inspected = 0 and (encoding = 'columns' or id <= ?1)
    and id not in (select value from json_each(?2))
  order by id limit 1`;
const projectsLinkedAfter = `
  select project_id, max(version) from user_alias where version > ? group by project_id`;
const newProfiles = `
  select project_id as project, user, traits from profile
  where is_inspected = 0 order by project_id, user limit ?`;
const newUsers = `
  select number, name from user
  where project_id = :project
    and number > max(:after, (select inspected_users from project where id = :project))
  order by number limit :limit`;
