import { crc32, deflateRawSync } from "node:zlib";

/** An entry of an archive, which may lie about itself. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly says?: {
    readonly size?: number;
    readonly crc?: number;
    readonly method?: number;
    readonly flags?: number;
    readonly offset?: number;
  };
}

/** Writes an archive with deflated entries. */
export function zip(entries: readonly ZipEntry[], entryCount = entries.length): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { says = {} } = entry;
    const name = Buffer.from(entry.name);
    const plain = Buffer.from(entry.content);
    const packed = deflateRawSync(plain);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(says.flags ?? 0x800, 2);
    facts.writeUInt16LE(says.method ?? 8, 4);
    facts.writeUInt32LE(says.crc ?? crc32(plain), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(says.size ?? plain.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([signature(0x04034b50), facts, name, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(says.offset ?? offset, 10);
    directory.push(
      Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), facts, place, name]),
    );
    files.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entryCount, 4);
  end.writeUInt16LE(entryCount, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return new Uint8Array(Buffer.concat([...files, listed, signature(0x06054b50), end]));
}

function signature(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}
