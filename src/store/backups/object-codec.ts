import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const level = 3;

/** The first byte of an object: what follows is zstd, or zstd that was encrypted. */
const plainMark = 1;
const sealedMark = 2;

/** An object is not what was written, or another key sealed it. */
export class ObjectDamaged extends Error {}
/** The target's objects are encrypted, and there is no key, or another one. */
export class WrongKey extends Error {}

/** Compresses what goes into a target, and encrypts it where there is a key. */
export class ObjectCodec {
  readonly #key: Buffer | null;

  constructor(secret: string | null) {
    this.#key =
      secret === null
        ? null
        : Buffer.from(hkdfSync("sha256", secret, "", "sightline backup", keyBytes));
  }

  get isSealing(): boolean {
    return this.#key !== null;
  }

  /** The name is part of what is encrypted: an object is worth nothing under the name of another. */
  close(bytes: Uint8Array, name: string): Uint8Array {
    const packed = Bun.zstdCompressSync(bytes, { level });
    if (this.#key === null) return Buffer.concat([Buffer.from([plainMark]), packed]);
    return sealed(packed, this.#key, name);
  }

  /** Encrypts a file that people will take from the target, where there is a key. It opens under any name. */
  closeFile(file: Uint8Array): Uint8Array {
    return this.#key === null ? file : sealed(file, this.#key, nameOfFiles);
  }

  /** Returns the file as it was, encrypted or not. Throws WrongKey. */
  openFile(object: Uint8Array): Uint8Array {
    return isSealedFile(object) ? this.#unsealed(object.subarray(1), nameOfFiles) : object;
  }

  /** Throws ObjectDamaged or WrongKey. */
  open(object: Uint8Array, name: string): Uint8Array {
    const [mark] = object;
    const body = object.subarray(1);
    if (mark === plainMark) return unpacked(body);
    if (mark !== sealedMark || body.length < nonceBytes + tagBytes) throw new ObjectDamaged(name);
    return unpacked(this.#unsealed(body, name));
  }

  #unsealed(body: Uint8Array, name: string): Uint8Array {
    if (this.#key === null) {
      throw new WrongKey("The backup is encrypted. Set BACKUP_KEY to the key of the server.");
    }
    const decipher = createDecipheriv(algorithm, this.#key, body.subarray(0, nonceBytes))
      .setAAD(Buffer.from(name))
      .setAuthTag(body.subarray(nonceBytes, nonceBytes + tagBytes));
    const opened = decipher.update(body.subarray(nonceBytes + tagBytes));
    try {
      return Buffer.concat([opened, decipher.final()]);
    } catch {
      throw new WrongKey(
        "The backup does not open with this BACKUP_KEY: another key sealed it, or an object was changed.",
      );
    }
  }
}

/** Stands for the name of every file. */
const nameOfFiles = "file";

/** Tells a file that was encrypted by its first byte, with which none of ours begins. */
export const isSealedFile = ([mark]: Uint8Array): boolean => mark === sealedMark;

function sealed(packed: Uint8Array, key: Buffer, name: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name));
  const body = [cipher.update(packed), cipher.final()];
  return Buffer.concat([Buffer.from([sealedMark]), nonce, cipher.getAuthTag(), ...body]);
}

function unpacked(body: Uint8Array): Uint8Array {
  try {
    return Bun.zstdDecompressSync(body);
  } catch {
    throw new ObjectDamaged("an object does not unpack");
  }
}
