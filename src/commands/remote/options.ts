import { UsageError } from "../command";

/** The parameters of a command: words, `--name value` or `--name=value`, and flags. */
export interface Options<Value extends string, Flag extends string> {
  readonly words: readonly string[];
  readonly values: Readonly<Partial<Record<Value, string>>>;
  readonly flags: ReadonlySet<Flag>;
}

export interface OptionNames<Value extends string, Flag extends string> {
  readonly values: readonly Value[];
  readonly flags: readonly Flag[];
}

/** Reads the parameters of a command that takes these and no others. */
export function optionsIn<Value extends string, Flag extends string>(
  parameters: readonly string[],
  names: OptionNames<Value, Flag>,
): Options<Value, Flag> {
  const words: string[] = [];
  const values: Partial<Record<Value, string>> = {};
  const flags = new Set<Flag>();
  for (let at = 0; at < parameters.length; at++) {
    const parameter = parameters[at] ?? "";
    if (!parameter.startsWith("--")) {
      words.push(parameter);
      continue;
    }
    const [, option = "", written] = /^(--[^=]*)(?:=(.*))?$/s.exec(parameter) ?? [];
    const flag = names.flags.find((one) => one === option);
    const name = names.values.find((one) => one === option);
    if (flag !== undefined && written === undefined) flags.add(flag);
    else if (name !== undefined) {
      if (values[name] !== undefined) throw new UsageError(`Pass ${name} once.`);
      values[name] = givenValue(name, written ?? parameters[++at]);
    } else throw new UsageError(`This command does not take ${parameter}.`);
  }
  return { words, values, flags };
}

function givenValue(name: string, value: string | undefined): string {
  if (value !== undefined && value !== "" && !value.startsWith("--")) return value;
  throw new UsageError(`Pass a value: ${name} <value>.`);
}
