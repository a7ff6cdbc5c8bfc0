import { ApiError } from "../domain/errors";
import type { Peer } from "../http/address";
import type { Deps } from "../http/deps";
import { clock } from "../lib/clock";
import type { AutomatedCounts } from "./automated-counts";
import { type Automated, automatedBy } from "./bots";
import type { CountryOf } from "./country";
import { admit, type Recipient, type Submission } from "./pipeline";
import { isRefusal, type Refusal } from "./refusal";
import type { Sent } from "./shape";
import { eventCountOf } from "./steps";
import { tokenOf, unknownToken } from "./token";

/** What a request tells of its sender, beside its body. */
export interface Sender {
  readonly headers: Headers;
  peer(): Peer;
}

type Judged = Pick<Submission, "sent" | "project" | "origin" | "automated" | "country">;

/** Takes requests from their parsed body to the commit. What becomes of one is decided by `pipeline.ts`. */
export class Reception {
  constructor(
    private readonly deps: Deps,
    private readonly countryOf: CountryOf,
    private readonly counts: AutomatedCounts,
  ) {}

  /** Resolves after the commit: true when stored, false when set aside as automated. Refusals are thrown. */
  async receive(shaped: Sent | Refusal, { headers, peer }: Sender): Promise<boolean> {
    if (isRefusal(shaped)) throw errorOf(shaped);
    const token = tokenOf(shaped);
    if (typeof token !== "string") throw errorOf(token);
    const project = this.deps.control.projectByToken(token);
    if (project === undefined) throw errorOf(unknownToken(shaped));

    const automated = automatedBy(headers.get("user-agent"));
    const country = automated === null ? this.countryOf(peer(), headers) : null;
    const origin = headers.get("origin");
    return await this.deliver({ sent: shaped, project, origin, automated, country });
  }

  /** From the pipeline on: here the dashboard's test event comes in, which has no sender to be judged. */
  async deliver(judged: Judged): Promise<boolean> {
    const { sent, project } = judged;
    const receivedAtMs = clock.nowMs();
    const { usage } = this.deps;
    const outcome = admit({ ...judged, receivedAtMs, allowance: this.#allowanceOf(project) });
    switch (outcome.kind) {
      case "refused":
        this.#note(outcome, judged, receivedAtMs);
        throw errorOf(outcome);
      case "automated":
        this.#setAside(project, sent, outcome.sender, receivedAtMs);
        return false;
      case "accepted":
    }
    const { stored } = await this.deps.store.append([outcome.entry]);
    usage.countEvents(project.accountId, stored);
    this.deps.metrics.countIngested(stored);
    if (sent.kind === "events") this.deps.arrivals.countStored(project.id, stored, receivedAtMs);
    return true;
  }

  #allowanceOf({ id, accountId }: Recipient) {
    const { config, rates, usage } = this.deps;
    return {
      spendRequest: () => void rates.spend(`ingest:${id}`, config.ingestRpm),
      reserveEvents: (count: number) => usage.reserveEvents(accountId, count),
    };
  }

  #setAside({ id }: Recipient, sent: Sent, sender: Automated, nowMs: number): void {
    // The contract counts automated events, not automated identities.
    if (sent.kind === "identity") return;
    const dropped = eventCountOf(sent);
    this.counts.add(id, sender, dropped, nowMs);
    this.deps.metrics.countFiltered(sender.category, dropped);
    this.deps.arrivals.noteAutomated(id, sender, nowMs);
  }

  #note({ code, field }: Refusal, { origin, project }: Judged, nowMs: number): void {
    const { arrivals } = this.deps;
    if (code === "ORIGIN_NOT_ALLOWED") arrivals.noteRefusedOrigin(project.id, origin ?? "", nowMs);
    else arrivals.noteRefusedEvent(project.id, code, field ?? null, nowMs);
  }
}

const errorOf = ({ code, message, field, index }: Refusal): ApiError =>
  new ApiError(code, message, {
    ...(field === undefined ? {} : { field }),
    ...(index === undefined ? {} : { index }),
  });
