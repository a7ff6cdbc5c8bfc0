import type { KnownErasure } from "../../domain/erased-digest";
import { KnownErasures } from "./known-erasures";
import {
  type Manifest,
  type PageObject,
  type PointName,
  pointNamed,
  type RecordingObject,
  type StoredObject,
  sha256Of,
} from "./manifest";
import { isManifest } from "./manifest-form";
import { type ObjectCodec, ObjectDamaged } from "./object-codec";
import type { Target } from "./target";

/** An object that a point needs is missing, or is not what was stored. */
export class PointDamaged extends Error {
  constructor(
    readonly object: string,
    why: string,
  ) {
    super(`${object} ${why}`);
  }
}

/** The points that a target has, and what they are made of. */
export class Catalogue {
  constructor(
    private readonly target: Target,
    private readonly codec: ObjectCodec,
  ) {}

  /** All points below a prefix, in order of time. */
  async points(prefix = ""): Promise<readonly PointName[]> {
    const names = await this.target.list(prefix);
    return names
      .flatMap((name) => pointNamed(name) ?? [])
      .sort((left, right) => left.atMs - right.atMs || (left.name < right.name ? -1 : 1));
  }

  /**
   * The manifests that make up a point, the full one first. Throws PointDamaged when one is missing or not what the
   * next one says.
   */
  async chain(name: string): Promise<readonly Manifest[]> {
    const chain: Manifest[] = [];
    let wanted: { readonly name: string; readonly sha256: string | null } | null = {
      name,
      sha256: null,
    };
    while (wanted !== null) {
      const manifest: Manifest = await this.manifest(wanted.name, wanted.sha256);
      chain.unshift(manifest);
      wanted = manifest.base;
    }
    return chain;
  }

  /** The digest is what another manifest says of this one. Throws PointDamaged. */
  async manifest(name: string, sha256: string | null = null): Promise<Manifest> {
    const object = await this.target.get(name);
    if (object === null) throw new PointDamaged(name, "is missing");
    if (sha256 !== null && sha256Of(object) !== sha256) {
      throw new PointDamaged(name, "is not what was stored");
    }
    const text = new TextDecoder().decode(this.#opened(object, name));
    let found: unknown;
    try {
      found = JSON.parse(text);
    } catch {
      throw new PointDamaged(name, "is not what was stored");
    }
    if (!isManifest(found)) throw new PointDamaged(name, "is not a manifest");
    return found;
  }

  /** Throws PointDamaged when the object is missing or not what was stored. */
  async object({ name, bytes, sha256 }: StoredObject): Promise<Uint8Array> {
    const object = await this.target.get(name);
    if (object === null) throw new PointDamaged(name, "is missing");
    if (object.byteLength !== bytes || sha256Of(object) !== sha256) {
      throw new PointDamaged(name, "is not what was stored");
    }
    return this.#opened(object, name);
  }

  /** The erasures that an installation has noted. Throws PointDamaged. */
  async erasures(installation: string): Promise<readonly KnownErasure[]> {
    try {
      return await new KnownErasures(this.target, this.codec, installation).all();
    } catch (error) {
      if (error instanceof ObjectDamaged) throw new PointDamaged("erasures", "are not whole");
      throw error;
    }
  }

  #opened(object: Uint8Array, name: string): Uint8Array {
    try {
      return this.codec.open(object, name);
    } catch (error) {
      if (error instanceof ObjectDamaged) throw new PointDamaged(name, "is not what was stored");
      throw error;
    }
  }
}

/** The recordings of a point, from the manifests that make it up. */
export function recordingsOf(chain: readonly Manifest[]): readonly RecordingObject[] {
  const recordings = new Map<number, RecordingObject>();
  for (const { recordings: changes } of chain) {
    for (const number of changes.removed) recordings.delete(number);
    for (const one of changes.added) recordings.set(one.number, one);
  }
  return [...recordings.values()];
}

/** The objects of pages of the full copy. */
export const pagesOf = ([full]: readonly Manifest[]): readonly PageObject[] =>
  full.databases.flatMap(({ objects }) => objects);
