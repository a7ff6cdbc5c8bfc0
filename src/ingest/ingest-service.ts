import { ApiError } from "../domain/errors";
import type { Deps } from "../http/deps";
import type { Peer } from "../http/edge/address";
import { clock } from "../lib/clock";
import type { AutomatedCounts } from "./automated-counts";
import { type Automated, automatedBy } from "./bots";
import type { CountryOf } from "./country";
import { admit } from "./pipeline";
import { Quota } from "./quota";
import { isRefusal, type Refusal } from "./refusal";
import { senderAgrees } from "./sender-clock";
import type { Sent } from "./shape";
import type { SetAside, Submission } from "./submission";
import { likelyToken, tokenOf, unknownToken } from "./token";

/** What a request tells about its sender, apart from the body. */
export interface Sender {
  readonly headers: Headers;
  peer(): Peer;
}

type Judged = Pick<Submission, "sent" | "project" | "origin" | "automated" | "country">;

/** Takes requests from their parsed body to the commit. What becomes of one is decided by `pipeline.ts`. */
export class IngestService {
  constructor(
    private readonly deps: Deps,
    private readonly countryOf: CountryOf,
    private readonly counts: AutomatedCounts,
  ) {}

  /** Resolves after the commit: null when stored, else why it was set aside. Refusals are thrown. */
  async receive(
    json: unknown,
    shaped: Sent | Refusal,
    { headers, peer }: Sender,
  ): Promise<SetAside | null> {
    if (isRefusal(shaped)) throw this.#refuseEarly(shaped, json);
    const token = tokenOf(shaped);
    if (typeof token !== "string") throw this.#refuseEarly(token, json);
    const project = this.deps.control.projectByToken(token);
    if (project === undefined) throw errorOf(unknownToken(shaped));

    const automated = automatedBy(headers.get("user-agent"));
    const country = automated === null ? this.countryOf(peer(), headers) : null;
    const origin = headers.get("origin");
    return this.deliver({ sent: shaped, project, origin, automated, country });
  }

  /** Runs the part after the pipeline: the dashboard's test event begins here, as it has no sender to be judged. */
  async deliver(judged: Judged): Promise<SetAside | null> {
    const receivedAtMs = clock.nowMs();
    const { trustedTime } = this.deps;
    if (!trustedTime.isTrusted()) {
      trustedTime.refuseUnlessTrusted(senderAgrees(judged.sent, receivedAtMs));
    }
    const quota = new Quota(this.deps, judged.project);
    try {
      const { emailDigests } = this.deps.control;
      const outcome = admit({ ...judged, receivedAtMs, allowance: quota, emailDigests });
      if (outcome.kind === "refused") throw errorOf(outcome);
      if (outcome.kind !== "accepted") {
        if (outcome.kind === "automated") this.#setAside(judged, outcome.sender, receivedAtMs);
        return outcome;
      }
      const { stored } = await this.deps.store.append([outcome.entry]);
      quota.settle(stored);
      this.#countStored(judged, stored, receivedAtMs);
      return null;
    } catch (error) {
      quota.release();
      if (error instanceof ApiError) this.#note(error, judged, receivedAtMs);
      throw error;
    }
  }

  #countStored({ project, sent }: Judged, stored: number, nowMs: number): void {
    if (sent.kind === "identity") return;
    this.deps.metrics.countIngested(stored);
    this.deps.ingestDiagnostics.countStored(project.id, stored, nowMs);
  }

  #setAside({ project: { id }, sent }: Judged, sender: Automated, nowMs: number): void {
    // The contract counts automated events, not automated identities.
    if (sent.kind === "identity") return;
    const dropped = sent.events.length;
    this.counts.add(id, sender, dropped, nowMs);
    this.deps.metrics.countFiltered(sender.category, dropped);
    this.deps.ingestDiagnostics.noteAutomated(id, sender, nowMs);
  }

  #note({ code, extras }: ApiError, { origin, project }: Judged, nowMs: number): void {
    const { ingestDiagnostics } = this.deps;
    if (code === "ORIGIN_NOT_ALLOWED")
      ingestDiagnostics.noteRefusedOrigin(project.id, origin ?? "", nowMs);
    else ingestDiagnostics.noteRefusedEvent(project.id, code, extras.field ?? null, nowMs);
  }

  /** Before the token is checked, which the notes are under if it turns out to be one. */
  #refuseEarly(refusal: Refusal, json: unknown): ApiError {
    const token = likelyToken(json);
    const project = token === null ? undefined : this.deps.control.projectByToken(token);
    if (project !== undefined) {
      const { code, field = null } = refusal;
      this.deps.ingestDiagnostics.noteRefusedEvent(project.id, code, field, clock.nowMs());
    }
    return errorOf(refusal);
  }
}

const errorOf = ({ code, message, field, index }: Refusal): ApiError =>
  new ApiError(code, message, {
    ...(field === undefined ? {} : { field }),
    ...(index === undefined ? {} : { index }),
  });
