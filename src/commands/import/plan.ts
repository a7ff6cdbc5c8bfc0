import { UsageError } from "../command";
import { type Options, optionsIn } from "../remote/options";

const values = [
  "--project",
  "--kind",
  "--timezone",
  "--overlap",
  "--older",
  "--remove",
  "--url",
] as const;
const flags = ["--commit", "--yes", "--json", "--list"] as const;
type ImportOptions = Options<(typeof values)[number], (typeof flags)[number]>;

/** How rows become events: the options of a check. */
export interface CheckOptions {
  readonly timezone?: string;
  readonly overlap?: string;
  readonly older?: string;
}

export interface FilePlan {
  readonly does: "import";
  readonly file: string;
  readonly project: string;
  readonly kind: string | undefined;
  readonly check: CheckOptions;
  readonly commits: boolean;
  readonly isAsked: boolean;
}
type Plan =
  | FilePlan
  | { readonly does: "list"; readonly project: string }
  | { readonly does: "remove"; readonly id: string };

export type ImportPlan = Plan & { readonly url: string | undefined; readonly isJson: boolean };

export function importPlan(parameters: readonly string[]): ImportPlan {
  const options = optionsIn(parameters, { values, flags });
  const more = { url: options.values["--url"], isJson: options.flags.has("--json") };
  const id = options.values["--remove"];
  if (id !== undefined) {
    only(options, ["--remove", "--url", "--json"]);
    return { does: "remove", id, ...more };
  }
  const project = options.values["--project"];
  if (project === undefined) throw new UsageError("Pass the project: --project <name>.");
  if (options.flags.has("--list")) {
    only(options, ["--list", "--project", "--url", "--json"]);
    return { does: "list", project, ...more };
  }
  return { ...filePlan(options, project), ...more };
}

function filePlan(options: ImportOptions, project: string): FilePlan {
  const { words, flags: given } = options;
  const [file, ...others] = words;
  if (file === undefined || others.length > 0) throw new UsageError("Pass exactly one file.");
  const { "--timezone": timezone, "--overlap": overlap, "--older": older } = options.values;
  const commits = given.has("--commit");
  if (given.has("--yes") && !commits) throw new UsageError("--yes needs --commit.");
  return {
    does: "import",
    ...{ file, project, commits, isAsked: !given.has("--yes") },
    kind: options.values["--kind"],
    check: {
      ...(timezone !== undefined && { timezone }),
      ...(overlap !== undefined && { overlap }),
      ...(older !== undefined && { older }),
    },
  };
}

/** Refuses what would change nothing. */
function only({ words, values: given, flags: set }: ImportOptions, taken: readonly string[]): void {
  const other = [...words, ...Object.keys(given), ...set].find((one) => !taken.includes(one));
  if (other !== undefined) throw new UsageError(`${taken[0]} does not take ${other}.`);
}
