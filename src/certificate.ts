import { ConfigError } from "./config";
import { readTlsPair, type TlsFiles, type TlsPair } from "./config-tls";
import { clock, minuteMs } from "./lib/clock";
import { log } from "./lib/log";

const lookEveryMs = minuteMs;

/** The certificate in use. A new pair of files replaces it without a restart; an unfit one changes nothing. */
export class Certificate {
  #pair: TlsPair;
  /** The reason why the server last refused the files. The log has each reason once. */
  #refused = "";

  private constructor(
    private readonly files: TlsFiles,
    private readonly changed: (pair: TlsPair) => void,
    pair: TlsPair,
  ) {
    this.#pair = pair;
  }

  /** Looks at the files every minute and on SIGHUP, and hands a new pair to `changed`. */
  static watch(files: TlsFiles, pair: TlsPair, changed: (pair: TlsPair) => void) {
    const certificate = new Certificate(files, changed, pair);
    const timer = setInterval(() => certificate.look(), lookEveryMs);
    const look = (): void => certificate.look();
    process.on("SIGHUP", look);
    const close = (): void => {
      clearInterval(timer);
      process.off("SIGHUP", look);
    };
    return { certificate, close };
  }

  get endsAtMs(): number {
    return this.#pair.endsAtMs;
  }

  look(): void {
    try {
      const pair = readTlsPair(this.files);
      if (pair.cert === this.#pair.cert && pair.key === this.#pair.key) return;
      if (pair.endsAtMs <= clock.nowMs()) {
        throw new ConfigError(`The certificate in ${this.files.certFile} has ended.`);
      }
      this.changed(pair);
      this.#pair = pair;
      this.#refused = "";
      log("info", "new connections get the new certificate", { ends_at: isoOf(pair) });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message === this.#refused) return;
      this.#refused = error.message;
      log("error", "the new certificate is not used", { why: error.message });
    }
  }
}

const isoOf = ({ endsAtMs }: TlsPair): string => new Date(endsAtMs).toISOString();
