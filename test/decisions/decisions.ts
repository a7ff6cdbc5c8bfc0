import { pathFromRoot, type Source, sourcesIn } from "../support/suite/sources";

/** A decision as the header of the file that it governs tells it. */
export interface Decision {
  readonly path: string;
  readonly title: string;
  /** The names of the header's lines, in their order: Decision, Because, Cost and perhaps Revisit. */
  readonly parts: readonly string[];
}

export const indexPath = "src/docs/internals/decisions/in-the-code.md";
export const indexFile = pathFromRoot(indexPath);

/** Every decision that the header of a file tells, in the order of their files. */
export const decisionsInTheCode = (): readonly Decision[] =>
  sourcesIn("src", "tracker", "test")
    .filter(({ path }) => !path.startsWith("test/decisions/"))
    .flatMap(decisionsIn)
    .sort((one, other) => compare(groupOf(one), groupOf(other)) || compare(one.path, other.path));

/** Reads the decisions of one file; a header may tell several, each under a title of its own. */
export function decisionsIn({ path, text }: Pick<Source, "path" | "text">): readonly Decision[] {
  const [, ...decisions] = text.split(/(?=^ \* .+\n \* Decision: )/m);
  return decisions.map((rest) => {
    const [header = ""] = rest.split(/^ \*\//m);
    const [first = ""] = header.split("\n");
    const parts = [...header.matchAll(/^ \* (Decision|Because|Cost|Revisit): /gm)];
    return {
      path,
      title: first.slice(" * ".length).replace(/\.$/, ""),
      parts: parts.map(([, name = ""]) => name),
    };
  });
}

/** Writes the index: a table for each folder, with a link to the file of each decision. */
export function indexOf(decisions: readonly Decision[]): string {
  const groups = Map.groupBy(decisions, groupOf);
  const tables = [...groups].map(([group, ofGroup]) =>
    [`## ${group}`, "", "| Decision | At the head of |", "|---|---|", ...ofGroup.map(rowOf)].join(
      "\n",
    ),
  );
  return `${[introduction, ...tables].join("\n\n")}\n`;
}

const introduction = `# The decisions at the head of files

\`node_modules/.bin/bun test/decisions/write.ts\` writes this page from the headers of the files, and a test compares it
with them. The header gives the reason of a decision, its cost, and, where something could, what would reopen it.`;

function rowOf({ path, title }: Decision): string {
  const isInSource = path.startsWith("src/");
  const link = isInSource ? `../../../${path.slice("src/".length)}` : `../../../../${path}`;
  return `| ${title} | [\`${path}\`](${link}) |`;
}

/** Names the folder under whose heading a decision stands; the store's parts are large enough for one each. */
function groupOf({ path }: Decision): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, folders[1] === "store" ? 3 : 2).join("/");
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
