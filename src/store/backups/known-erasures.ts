import type { KnownErasure } from "../../domain/erased-digest";
import { type ObjectCodec, ObjectDamaged } from "./object-codec";
import type { Target } from "./target";

/** The erasures that lie beside the copies: a restore of an older moment repeats them. */
export class KnownErasures {
  readonly #prefix: string;

  constructor(
    private readonly target: Target,
    private readonly codec: ObjectCodec,
    installation: string,
  ) {
    this.#prefix = `${installation}/erasures/`;
  }

  /** Notes an erasure once. It is durable when this resolves. */
  async add(erasure: KnownErasure): Promise<void> {
    const name = `${this.#prefix}${erasure.id}`;
    if ((await this.target.get(name)) !== null) return;
    const bytes = new TextEncoder().encode(JSON.stringify(erasure));
    await this.target.put(name, this.codec.close(bytes, name));
  }

  /** Returns all that are noted. Throws ObjectDamaged, or WrongKey. */
  async all(): Promise<readonly KnownErasure[]> {
    const found: KnownErasure[] = [];
    for (const name of await this.target.list(this.#prefix)) {
      const object = await this.target.get(name);
      if (object === null) throw new ObjectDamaged(name);
      found.push(JSON.parse(new TextDecoder().decode(this.codec.open(object, name))));
    }
    return found;
  }

  /** Removes those that every point which is left already shows. */
  async removeUntil(oldestPointMs: number): Promise<void> {
    for (const { id, atMs } of await this.all()) {
      if (atMs <= oldestPointMs) await this.target.remove(`${this.#prefix}${id}`);
    }
  }
}
