import { createHash } from "node:crypto";
import { CommandFailed, ServerLost } from "../remote/remote-error";

/** The fields of an export's lines that the command reads. */
interface ExportLine {
  readonly kind?: unknown;
  readonly version?: unknown;
  readonly project?: unknown;
  readonly id?: unknown;
  readonly count?: unknown;
  readonly last_id?: unknown;
  readonly sha256?: unknown;
}

const newline = 0x0a;

/**
 * Reads JSON lines of an export as they come, and compares them with their last line, which has the number of lines and
 * the hash of all bytes before it.
 */
export class CheckedLines {
  private readonly digest = createHash("sha256");
  private pending: Uint8Array = new Uint8Array(0);
  private lines = 0;
  private firstLine: ExportLine | null = null;

  /** The lines between the first and the last one, as far as they came. */
  get count(): number {
    return Math.max(0, this.lines - 1);
  }
  /** The first line, once it came. */
  get head(): ExportLine | null {
    return this.firstLine;
  }

  /** Takes the next bytes. Returns the whole lines that are neither the first line nor the last one. */
  push(bytes: Uint8Array): Uint8Array {
    const known = this.pending.byteLength === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    const lastEnd = known.lastIndexOf(newline);
    // The line that came last may be the last line.
    const sure = lastEnd <= 0 ? 0 : known.lastIndexOf(newline, lastEnd - 1) + 1;
    this.pending = Uint8Array.from(known.subarray(sure));
    const whole = known.subarray(0, sure);
    this.digest.update(whole);
    let bodyStart = 0;
    if (this.lines === 0 && sure > 0) {
      bodyStart = whole.indexOf(newline) + 1;
      this.firstLine = headOf(whole.subarray(0, bodyStart));
    }
    for (let at = whole.indexOf(newline); at >= 0; at = whole.indexOf(newline, at + 1))
      this.lines++;
    return whole.subarray(bodyStart);
  }

  /**
   * Returns the id that the last line names, if any. Throws where there is no last line, and where its count or digest
   * is not that of the lines before.
   */
  finish(): string | null {
    const end = parsed(this.pending);
    if (end?.kind !== "end") throw new ServerLost("The export broke off before its last line.");
    if (end.count === this.count && end.sha256 === this.digest.digest("hex")) {
      return typeof end.last_id === "string" ? end.last_id : null;
    }
    throw new CommandFailed(
      `The export is damaged: its last line counts ${end.count} lines, and ${this.count} came, or their SHA-256 ` +
        "differs. Run the command again.",
    );
  }
}

function headOf(bytes: Uint8Array): ExportLine {
  const head = parsed(bytes);
  if (head?.kind === "sightline" && head.version === 1) return head;
  throw new CommandFailed(
    "The server sent another version of the export. Use the version of this program that the server has.",
  );
}

/** Returns the object of a line; null where it is none, or not whole. */
export function parsed(bytes: Uint8Array): ExportLine | null {
  if (bytes.at(-1) !== newline) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
