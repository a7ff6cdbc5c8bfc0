import { createInterface } from "node:readline/promises";

/** Asks on a terminal. Where nobody can be asked, what the parameters say is enough. */
export async function isConfirmed(question: string): Promise<boolean> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) return true;
  const lines = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
