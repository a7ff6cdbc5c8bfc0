/*
 * Equal subscriptions are one broadcast.
 * Decision: listeners of a project with the same filter share one match and one text: streams the same bytes, sockets
 * one topic of Bun's.
 * Because: 10 listeners at 1,000 events/s are then 1,000 texts a second and not 10,000.
 * Cost: how far a socket is behind is told from the bytes that wait for it and those of the last 1,000 frames.
 * Revisit: if Bun counts messages.
 */

import { liveFramesBehindMax } from "../../domain/limits";
import { policyDefault, type TrustPolicy } from "../../domain/trust/flagged";
import type { Deps } from "../../http/deps";
import { clock } from "../../lib/clock";
import { wireJson } from "../../lib/wire-json";
import type { Project } from "../../store/control/project-selector";
import type { Listener } from "../../store/live/feed";
import type { StoredEvent } from "../../store/port";
import { fieldsShown } from "./snapshot";
import { keyOf, matcherOf, type Subscription } from "./subscription";

/** The receivers of a broadcast: a stream gets bytes, a socket listens to the topic. */
export type Audience = StreamAudience | SocketAudience;
export interface StreamAudience {
  readonly kind: "stream";
  push(bytes: Uint8Array, frames: number): void;
}
export interface SocketAudience {
  readonly kind: "socket";
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Ends it when more bytes than these wait for its client: those of the last thousand frames. */
  endIfBehind(bytes: number): void;
}

interface BroadcastDeps extends Pick<Deps, "feed"> {
  readonly control: { readonly dataVersions: Pick<Deps["control"]["dataVersions"], "ofProject"> };
  readonly server: Pick<Deps["server"], "publish">;
}
type Named = Pick<Project, "id" | "name">;

/** Connections with equal subscriptions share one: events are matched and written once for all of them. */
export class Broadcasts {
  readonly #deps: BroadcastDeps;
  readonly #open = new Map<string, Broadcast>();

  constructor(deps: BroadcastDeps) {
    this.#deps = deps;
  }

  join(project: Named, subscription: Subscription, audience: Audience): Broadcast {
    const topic = `${project.id} ${keyOf(subscription)}`;
    let broadcast = this.#open.get(topic);
    if (broadcast === undefined) {
      broadcast = new Broadcast(this.#deps, topic, project, subscription);
      this.#open.set(topic, broadcast);
    }
    broadcast.add(audience);
    return broadcast;
  }

  leave(broadcast: Broadcast, audience: Audience): void {
    broadcast.remove(audience);
    if (!broadcast.isEmpty) return;
    broadcast.stop();
    this.#open.delete(broadcast.topic);
  }
}

/** After this number of frames it is looked who does not keep up. */
const framesPerLook = 100;

export class Broadcast implements Listener {
  readonly matches: (event: StoredEvent) => boolean;
  readonly stop: () => void;
  projectName: string;
  lastMatchMs = 0;
  readonly #streams = new Set<StreamAudience>();
  readonly #sockets = new Set<SocketAudience>();
  readonly #published = new Published();
  #unlooked = 0;

  constructor(
    private readonly deps: BroadcastDeps,
    readonly topic: string,
    private readonly project: Named,
    subscription: Subscription,
  ) {
    this.projectName = project.name;
    this.matches = matcherOf(subscription);
    this.stop = deps.feed.listen(project.id, this);
  }

  get isEmpty(): boolean {
    return this.#streams.size + this.#sockets.size === 0;
  }

  add(audience: Audience): void {
    if (audience.kind === "stream") this.#streams.add(audience);
    else {
      this.#sockets.add(audience);
      audience.subscribe(this.topic);
    }
  }
  remove(audience: Audience): void {
    if (audience.kind === "stream") this.#streams.delete(audience);
    else if (this.#sockets.delete(audience)) audience.unsubscribe(this.topic);
  }

  deliver(events: readonly StoredEvent[]): void {
    this.lastMatchMs = clock.nowMs();
    const project = `"project":${JSON.stringify(this.projectName)}`;
    const policy = policyNow(this.deps, this.project.id);
    if (this.#streams.size > 0) {
      const bytes = streamFrames(events, project, policy);
      for (const stream of this.#streams) stream.push(bytes, events.length);
    }
    if (this.#sockets.size === 0) return;
    if (this.#unlooked >= framesPerLook) this.endSlow();
    for (const event of events) {
      const text = wireJson(`{"type":"track",${fieldsShown(event, policy)},${project}}`);
      this.deps.server.publish(this.topic, text);
      this.#published.note(text);
    }
    this.#unlooked += events.length;
  }

  /** Before the next events, so that a large commit by itself puts nobody behind. */
  endSlow(): void {
    this.#unlooked = 0;
    const bytes = this.#published.bytesOfLast;
    for (const socket of this.#sockets) socket.endIfBehind(bytes);
  }
}

/** Returns what the owner of a project has decided by now, from memory. */
export const policyNow = ({ control }: Pick<BroadcastDeps, "control">, id: string): TrustPolicy =>
  control.dataVersions.ofProject(id).policies[id] ?? policyDefault;

export const streamFrames = (
  events: readonly StoredEvent[],
  project: string,
  policy: TrustPolicy,
): Uint8Array =>
  Buffer.from(
    events
      .map((event) => {
        const data = wireJson(`{${fieldsShown(event, policy)},${project}}`);
        return `event: track\nid: ${event.id}\ndata: ${data}\n\n`;
      })
      .join(""),
  );

/** A frame has at most this many bytes besides its text, for the sizes that occur. */
const frameHeadBytes = 4;

/** The sizes of the last thousand frames. */
class Published {
  readonly #totals = new Float64Array(liveFramesBehindMax);
  #count = 0;
  #total = 0;

  note(text: string): void {
    this.#totals[this.#count % liveFramesBehindMax] = this.#total;
    this.#total += Buffer.byteLength(text) + frameHeadBytes;
    this.#count += 1;
  }

  /** Before this number of events was sent, nobody can be behind. */
  get bytesOfLast(): number {
    if (this.#count < liveFramesBehindMax) return Number.POSITIVE_INFINITY;
    return this.#total - this.#totals[this.#count % liveFramesBehindMax];
  }
}
