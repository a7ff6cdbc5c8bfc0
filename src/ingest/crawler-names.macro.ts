import crawlers from "crawler-user-agents";

const anyEscape = /\\(.)/g;
/** Part of a URL in an agent's comment rather than a name; a name may end in the slash before its version. */
const address = /\/./;
const operators = /[[\](){}|^$*+?.]/;

/**
 * Runs when the program is bundled: of the crawler list (0.7 MB) only the names stay, one a line (20 kB). A pattern is
 * a name when it is a literal text; the three dozen that are real expressions are left out, so that no expression of
 * theirs ever meets an agent.
 */
export function crawlerNameLines(): string {
  return crawlers
    .map(({ pattern }) => pattern)
    .filter((pattern) => !operators.test(pattern.replace(anyEscape, literalOrOperator)))
    .map((pattern) => pattern.replace(anyEscape, "$1"))
    .filter((name) => !address.test(name))
    .join("\n");
}

/** `\/` and `\.` stand for themselves; `\d` and `\b` do not, which an operator in their place says. */
const literalOrOperator = (_: string, escaped: string): string => (/\w/.test(escaped) ? "." : "-");
