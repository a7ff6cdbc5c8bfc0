import { ApiError } from "../domain/errors";
import type { Deps } from "../http/deps";
import type { Peer } from "../http/edge/address";
import { clock } from "../lib/clock";
import { automatedBy } from "./bots";
import type { CountryOf } from "./country";
import { admit } from "./pipeline";
import { Quota } from "./quota";
import { isRefusal, type Refusal } from "./refusal";
import type { SetAside, Submission, SubmittedBody } from "./submission";
import type { Tally } from "./tally";
import { likelyToken, tokenOf, unknownToken } from "./token";

/** What a request tells about its sender, apart from the body. */
export interface Sender {
  readonly headers: Headers;
  peer(): Peer;
}

/** The outcome of a request: null where it is stored, else the reason why nothing of it is. */
export interface Delivered {
  readonly aside: SetAside | null;
  /** The events that are stored. */
  readonly count: number;
}

/** Takes requests from their parsed body to the commit. `pipeline.ts` decides what becomes of one. */
export class IngestService {
  constructor(
    private readonly deps: Deps,
    private readonly countryOf: CountryOf,
    private readonly tally: Tally,
  ) {}

  /**
   * Resolves after the commit. Throws what refuses the request. `json` is what `body` was made of: of an unusable body
   * it tells whose it was.
   */
  async receive(
    json: unknown,
    body: SubmittedBody | Refusal,
    { headers, peer }: Sender,
  ): Promise<Delivered> {
    if (isRefusal(body)) throw this.#refuseEarly(body, json);
    const token = tokenOf(body);
    if (typeof token !== "string") throw this.#refuseEarly(token, json);
    const project = this.deps.control.projectByToken(token);
    if (project === undefined) throw errorOf(unknownToken(body));

    const automated = automatedBy(headers.get("user-agent"));
    const from = automated === null ? peer() : null;
    const country = from === null ? null : this.countryOf(from, headers);
    const excludedSender = project.exclusions?.ofSender(from?.address ?? null, country) ?? null;
    const origin = headers.get("origin");
    const receivedAtMs = clock.nowMs();
    const sent = { body, project, origin, automated, country, excludedSender, receivedAtMs };
    return this.deliver(sent);
  }

  /** Runs the pipeline and what follows it. The dashboard's test event begins here, as it has no sender to judge. */
  async deliver(submission: Submission): Promise<Delivered> {
    const { control, disk, store, trustedTime } = this.deps;
    const limits = new Quota(this.deps, submission.project);
    const { emailDigests } = control;
    try {
      const outcome = admit(submission, { limits, clock: trustedTime, disk, emailDigests });
      if (outcome.kind === "accepted") {
        const { stored } = await store.append([outcome.entry]);
        limits.settle(stored);
        if (submission.body.kind === "events") {
          this.tally.countStored(submission, stored);
        }
        this.tally.countExcluded(submission, outcome.excluded);
        const { entry } = outcome;
        return { aside: null, count: entry.kind === "events" ? entry.events.length : 0 };
      }
      // Up to here refusals are values; who called the API gets an error.
      if (outcome.kind === "refused") throw errorOf(outcome);
      if (outcome.kind === "not now") throw outcome.error;
      // Automated events are counted, automated identities are not (definitions.md, Automated traffic).
      if (outcome.kind === "automated" && submission.body.kind === "events") {
        const dropped = submission.body.events.length;
        this.tally.countAutomated(submission, outcome.sender, dropped);
      }
      if (outcome.kind === "excluded") this.tally.countExcluded(submission, outcome.events);
      return { aside: outcome, count: 0 };
    } catch (error) {
      limits.release();
      if (error instanceof ApiError) this.tally.noteError(submission, error);
      throw error;
    }
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
