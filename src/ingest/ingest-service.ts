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
import type { SetAside, Submission, SubmittedBody } from "./submission";
import { likelyToken, tokenOf, unknownToken } from "./token";

/** What a request tells about its sender, apart from the body. */
export interface Sender {
  readonly headers: Headers;
  peer(): Peer;
}

/** Takes requests from their parsed body to the commit. `pipeline.ts` decides what becomes of one. */
export class IngestService {
  constructor(
    private readonly deps: Deps,
    private readonly countryOf: CountryOf,
    private readonly counts: AutomatedCounts,
  ) {}

  /**
   * Resolves after the commit: null when stored, else why it was set aside. Throws what refuses the request. `json` is
   * what `body` was made of: of an unusable body it tells whose it was.
   */
  async receive(
    json: unknown,
    body: SubmittedBody | Refusal,
    { headers, peer }: Sender,
  ): Promise<SetAside | null> {
    if (isRefusal(body)) throw this.#refuseEarly(body, json);
    const token = tokenOf(body);
    if (typeof token !== "string") throw this.#refuseEarly(token, json);
    const project = this.deps.control.projectByToken(token);
    if (project === undefined) throw errorOf(unknownToken(body));

    const automated = automatedBy(headers.get("user-agent"));
    const country = automated === null ? this.countryOf(peer(), headers) : null;
    const origin = headers.get("origin");
    const receivedAtMs = clock.nowMs();
    return this.deliver({ body, project, origin, automated, country, receivedAtMs });
  }

  /** Runs the pipeline and what follows it. The dashboard's test event begins here, as it has no sender to judge. */
  async deliver(submission: Submission): Promise<SetAside | null> {
    const { control, store, trustedTime } = this.deps;
    const limits = new Quota(this.deps, submission.project);
    const { emailDigests } = control;
    try {
      const outcome = admit(submission, { limits, clock: trustedTime, emailDigests });
      if (outcome.kind === "accepted") {
        const { stored } = await store.append([outcome.entry]);
        limits.settle(stored);
        this.#countStored(submission, stored);
        return null;
      }
      // Up to here refusals are values; who called the API gets an error.
      if (outcome.kind === "refused") throw errorOf(outcome);
      if (outcome.kind === "not now") throw outcome.error;
      if (outcome.kind === "automated") this.#countAutomated(submission, outcome.sender);
      return outcome;
    } catch (error) {
      limits.release();
      if (error instanceof ApiError) this.#note(error, submission);
      throw error;
    }
  }

  #countStored({ project, body, receivedAtMs }: Submission, stored: number): void {
    if (body.kind === "identity") return;
    this.deps.metrics.countIngested(stored);
    this.deps.ingestDiagnostics.countStored(project.id, stored, receivedAtMs);
  }

  #countAutomated({ project: { id }, body, receivedAtMs }: Submission, sender: Automated): void {
    // Automated events are counted, automated identities are not (definitions.md, Automated traffic).
    if (body.kind === "identity") return;
    const dropped = body.events.length;
    this.counts.add(id, sender, dropped, receivedAtMs);
    this.deps.metrics.countFiltered(sender.category, dropped);
    this.deps.ingestDiagnostics.noteAutomated(id, sender, receivedAtMs);
  }

  #note({ code, extras }: ApiError, { origin, project, receivedAtMs }: Submission): void {
    const { ingestDiagnostics } = this.deps;
    // The operator mends the clock: the project's owner can do nothing about it.
    if (extras.reason === "clock") return;
    if (code === "ORIGIN_NOT_ALLOWED")
      ingestDiagnostics.noteRefusedOrigin(project.id, origin ?? "", receivedAtMs);
    else ingestDiagnostics.noteRefusedEvent(project.id, code, extras.field ?? null, receivedAtMs);
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
