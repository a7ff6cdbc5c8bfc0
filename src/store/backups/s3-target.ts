import { S3Client } from "bun";
import { type Target, TargetFailed } from "./target";

/** A bucket of S3, or of a server that speaks its protocol. */
export interface S3Place {
  readonly bucket: string;
  /** Without slashes at its ends; empty for the bucket itself. */
  readonly prefix: string;
  /** The origin of the server; null is AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Tells whether the bucket is part of the host name rather than of the path. */
  readonly isVirtualHosted: boolean;
}

const triesMax = 3;
const waitMsUsual = 500;

export class S3Target implements Target {
  readonly #client: S3Client;
  readonly #prefix: string;

  /** A request that fails is sent again after this time, and once more after twice as long. */
  constructor(
    { prefix, endpoint, isVirtualHosted, ...place }: S3Place,
    private readonly waitMs = waitMsUsual,
  ) {
    this.#prefix = prefix === "" ? "" : `${prefix}/`;
    this.#client = new S3Client({
      ...place,
      ...(endpoint !== null && { endpoint }),
      virtualHostedStyle: isVirtualHosted,
    });
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#tried(() => this.#client.write(this.#prefix + name, bytes));
  }

  async get(name: string): Promise<Uint8Array | null> {
    return await this.#tried(async () => {
      try {
        return await this.#client.file(this.#prefix + name).bytes();
      } catch (error) {
        if (codeOf(error) === "NoSuchKey") return null;
        throw error;
      }
    });
  }

  async list(prefix: string): Promise<readonly string[]> {
    const names: string[] = [];
    let token: string | undefined;
    do {
      const continuationToken = token;
      const page = await this.#tried(() =>
        this.#client.list({
          prefix: this.#prefix + prefix,
          ...(continuationToken !== undefined && { continuationToken }),
        }),
      );
      for (const { key } of page.contents ?? []) names.push(key.slice(this.#prefix.length));
      token = page.isTruncated === true ? page.nextContinuationToken : undefined;
    } while (token !== undefined);
    return names.sort();
  }

  async remove(name: string): Promise<void> {
    await this.#tried(() => this.#client.delete(this.#prefix + name));
  }

  /** Networks fail for moments: a backup would have to begin again. */
  async #tried<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let turn = 1; ; turn++) {
      try {
        return await work();
      } catch (error) {
        if (turn === triesMax) throw new TargetFailed(messageOf(error));
        await Bun.sleep(this.waitMs * turn);
      }
    }
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const messageOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : "unknown";
  return `${codeOf(error) ?? "error"}: ${message.replace(/\s+/g, " ").slice(0, 200)}`;
};
