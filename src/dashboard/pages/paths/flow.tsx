import type { EntryPath, PathNode } from "../../data/answers";
import { exact, percent } from "../../lib/format";
import { SaidWhole } from "../../ui/said";
import { Scroll } from "../../ui/scroll";

/** Columns are steps, heights are sessions: a list of lists, laid out by growing in proportion. */
export const Flow = ({ entry }: { readonly entry: EntryPath }) => (
  <Scroll label={`Paths from ${entry.entry_page}`}>
    <div class="flow">
      <div class="flow-node" data-type="page">
        <b>
          <SaidWhole text={entry.entry_page} />
        </b>
        <small>{exact(entry.sessions)}</small>
      </div>
      <Steps nodes={entry.tree} of={entry.sessions} all={entry.sessions} />
    </div>
  </Scroll>
);

const heightPx = 560;
/** Lower bars are left blank; those too low for text have a title only. */
const drawnPxMin = 4;
const textPxMin = 19;

function Steps({
  nodes: found,
  of,
  all,
}: {
  readonly nodes: readonly PathNode[];
  readonly of: number;
  readonly all: number;
}) {
  const pxOf = ({ sessions }: PathNode) => (sessions / all) * heightPx;
  const nodes = found.filter((node) => pxOf(node) >= drawnPxMin);
  const rest = of - nodes.reduce((sum, { sessions }) => sum + sessions, 0);
  return (
    <ul class="flow-steps">
      {nodes.map((node) => (
        <li key={node.type + node.value} style={{ flexGrow: node.sessions, flexBasis: 0 }}>
          <div class="flow-node" data-type={node.type} title={textOf(node)}>
            {pxOf(node) >= textPxMin && (
              <>
                <b>
                  <SaidWhole text={nameOf(node)} />
                </b>
                <small>{exact(node.sessions)}</small>
              </>
            )}
          </div>
          {node.children !== undefined && node.children.length > 0 && (
            <Steps nodes={node.children} of={node.sessions} all={all} />
          )}
        </li>
      ))}
      {rest > 0 && (
        <li
          class="flow-rest"
          style={{ flexGrow: rest, flexBasis: 0 }}
          title={`${exact(rest)} sessions on less frequent paths`}
        />
      )}
    </ul>
  );
}

const nameOf = ({ type, value }: PathNode): string =>
  type === "drop_off" ? "leaves" : type === "truncated" ? "continues" : value;

const textOf = (node: PathNode): string =>
  `${nameOf(node)}: ${exact(node.sessions)} sessions, ${percent(node.conversion_rate)} reach the goal`;
