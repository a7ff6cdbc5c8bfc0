import { ConfigError } from "../config";

/** Standard input as it is used here; a terminal can be told to stop echoing. */
export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}
export interface Terminal {
  write(text: string): unknown;
}

const lineCharsMax = 4_096;

/** The first line of what is piped in, or of what is typed twice without an echo. Empty: none is given. */
export async function passwordFrom(input: Input, output: Terminal): Promise<string> {
  const lines = linesOf(input);
  try {
    if (input.isTTY !== true || input.setRawMode === undefined) {
      return (await lines.next()).value ?? "";
    }
    input.setRawMode(true);
    const ask = async (question: string): Promise<string> => {
      output.write(question);
      const { value } = await lines.next();
      output.write("\n");
      return value ?? "";
    };
    const password = await ask("Password, 10 to 200 characters (leave empty to generate one): ");
    if (password === "" || (await ask("Repeat the password: ")) === password) return password;
    throw new ConfigError("The passwords do not match. Nothing was changed.");
  } finally {
    if (input.isTTY === true) input.setRawMode?.(false);
    await lines.return(undefined);
  }
}

/** Lines as somebody types them: without an echo the terminal leaves erasing and giving up to us. */
async function* linesOf(input: Input): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  const isTyped = input.isTTY === true;
  let line = "";
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    for (const char of text) {
      if (isTyped && char === "\u0003") throw new ConfigError("Canceled. Nothing was changed.");
      if (isTyped && (char === "\u007f" || char === "\b")) line = [...line].slice(0, -1).join("");
      else if (char === "\n" || (isTyped && (char === "\r" || char === "\u0004"))) {
        yield line.replace(/\r$/, "");
        line = "";
      } else line += char;
    }
    if (line.length > lineCharsMax)
      throw new ConfigError("The password is too long. It must have at most 200 characters.");
  }
  if (line !== "") yield line;
  return undefined;
}
