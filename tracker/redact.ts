const redacted = "[redacted]";
const textCharsMax = 5000;

/** A named secret, quoted or not, or what follows "Bearer". */
const secret =
  /((token|key|secret|pass|pwd|auth|code|session)\w*["']?\s*[=:]\s*|\b(bearer|basic)\s+)+("[^"]*|'[^']*|[^\s&,;]+)/gi;

/** The text of an error may hold anything the page knows: what looks like a secret or a person is taken out. */
export const redact = (text: string): string =>
  text
    .slice(0, textCharsMax)
    // The path of an address stays.
    .replace(/[?#][^\s"'()<>]+/g, "")
    .replace(secret, redacted)
    // What is written inside a data address, mail addresses and passwords before a host, UUIDs, long runs.
    .replace(
      /data:[^\s"')]+|[\w.+%:-]{1,99}@[\w.-]{1,99}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\w{32,}/gi,
      redacted,
    );
