import { bytesOf } from "../text";

/** This byte separates an id from the number of times that it was linked. No text contains it. */
const generationMark = 0xff;

/** One generation of a user id. When the id is linked again the next begins; stored events keep the one before. */
export class Sender {
  /** The sender to which this one was linked, or null while it is its own owner. */
  parent: Sender | null = null;
  readonly children = new Set<Sender>();

  constructor(
    readonly name: string,
    readonly generation: number,
  ) {}

  get owner(): Sender {
    let owner: Sender = this;
    while (owner.parent !== null) owner = owner.parent;
    return owner;
  }
  get bytes(): Uint8Array {
    return senderBytes(this.name, this.generation);
  }
  moveTo(parent: Sender | null): void {
    this.parent?.children.delete(this);
    this.parent = parent;
    parent?.children.add(this);
  }
  /** Returns this sender and all that are linked to it, directly or through others. */
  withBelow(): Sender[] {
    const found: Sender[] = [this];
    for (let at = 0; at < found.length; at++) found.push(...found[at].children);
    return found;
  }
}

export const senderBytes = (name: string, generation: number): Uint8Array =>
  generation === 0
    ? bytesOf(name)
    : Buffer.concat([
        bytesOf(name),
        Uint8Array.of(generationMark),
        Buffer.from(String(generation)),
      ]);

/**
 * Tells which ids of a project belong to one user (definitions.md, Identity). It is held in memory for projects that
 * are written to, and takes some 200 bytes for each id that was ever linked or linked to.
 */
export class Links {
  /** The generations of each id, the latest last. */
  private readonly senders = new Map<string, Sender[]>();

  /** Adds a sender as the table has it. */
  restore(name: string, generation: number): Sender {
    const known = this.senders.get(name) ?? [];
    this.senders.set(name, known);
    known[generation] ??= new Sender(name, generation);
    return known[generation];
  }
  get isEmpty(): boolean {
    return this.senders.size === 0;
  }
  /** Returns the sender under which events that come in now are stored. */
  latest(name: string): Sender | null {
    return this.senders.get(name)?.at(-1) ?? null;
  }

  /** Returns the generations of an id; some may have been erased together with the user that they belonged to. */
  sendersOf(name: string): Sender[] {
    return this.senders.get(name)?.filter((sender) => sender !== undefined) ?? [];
  }

  /** Links one id to another, to whom its events belong from now on. Returns the senders that changed. */
  link(
    previousId: string,
    userId: string,
  ): {
    readonly changed: readonly Sender[];
    readonly merged: Sender | null;
    readonly target: Sender;
  } {
    const target = (this.latest(userId) ?? new Sender(userId, 0)).owner;
    const previous = this.latest(previousId) ?? new Sender(previousId, 0);
    if (target.name === previous.owner.name) return { changed: [], merged: null, target };
    const kept = this.keep(target);
    if (previous.parent === null) {
      const moved = this.keep(previous);
      moved.moveTo(kept);
      return { changed: moved.withBelow(), merged: moved, target: kept };
    }
    const next = this.restore(previousId, previous.generation + 1);
    next.moveTo(kept);
    return { changed: [next], merged: null, target: kept };
  }

  /** Makes an id its own owner again, with all its generations. Returns null when it is not linked. */
  unlink(
    previousId: string,
  ): { readonly owner: string; readonly changed: readonly Sender[] } | null {
    const now = this.latest(previousId);
    if (now === null || now.owner.name === previousId) return null;
    const owner = now.owner.name;
    now.moveTo(null);
    for (const former of this.sendersOf(previousId)) if (former !== now) former.moveTo(now);
    return { owner, changed: now.withBelow() };
  }

  private keep(sender: Sender): Sender {
    const known = this.senders.get(sender.name);
    if (known !== undefined) return sender;
    this.senders.set(sender.name, [sender]);
    return sender;
  }
}
