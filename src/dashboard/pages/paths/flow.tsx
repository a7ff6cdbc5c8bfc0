import { useState } from "preact/hooks";
import type { EntryPath } from "../../data/path-answers";
import { exact, percent } from "../../lib/format";
import { Said, SaidWhole, shownText } from "../../ui/said";
import { Scroll } from "../../ui/scroll";
import { type Block, blocksOf } from "./blocks";

/** Columns are steps, heights are sessions: a list of lists, laid out by growing in proportion. */
export function Flow({ entry }: { readonly entry: EntryPath }) {
  const [caption, setCaption] = useState("");
  const tell = ({ target }: Event) => {
    const block = target instanceof Element ? target.closest<HTMLElement>(".flow li > div") : null;
    setCaption(block?.title ?? "");
  };
  return (
    <>
      <p class="flow-told">
        {caption || "Point at a block, or move with the arrow keys, to read its name and numbers."}
      </p>
      <Scroll label={`Paths from ${shownText(entry.entry_page)}`}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: listens to the blocks within */}
        <div
          class="flow"
          onPointerOver={tell}
          onPointerLeave={() => setCaption("")}
          onFocusIn={tell}
          onKeyDown={move}
        >
          <div class="flow-node" data-type="page">
            <b>
              <SaidWhole text={entry.entry_page} />
            </b>
            <small>{exact(entry.sessions)}</small>
          </div>
          <Steps blocks={blocksOf(entry.tree)} of={entry.sessions} all={entry.sessions} isFirst />
        </div>
      </Scroll>
    </>
  );
}

const heightPx = 560;
/** Blocks below this height are blank. Blocks too low for text show theirs in the line above the drawing. */
const drawnPxMin = 4;
const textPxMin = 19;

interface StepsProps {
  readonly blocks: readonly Block[];
  /** The sessions of the step before, and of the entry page. */
  readonly of: number;
  readonly all: number;
  /** Tab reaches only the first block. */
  readonly isFirst?: boolean;
}

function Steps({ blocks, of, all, isFirst = false }: StepsProps) {
  const pxOf = ({ sessions }: Block) => (sessions / all) * heightPx;
  const drawn = blocks.filter((block) => pxOf(block) >= drawnPxMin);
  const rest = of - drawn.reduce((sum, { sessions }) => sum + sessions, 0);
  return (
    <ul class="flow-steps">
      {drawn.map((block, i) => (
        <li key={block.kind + block.value} style={{ flexGrow: block.sessions, flexBasis: 0 }}>
          <div
            class="flow-node"
            data-type={block.kind}
            title={textOf(block)}
            tabIndex={isFirst && i === 0 ? 0 : -1}
          >
            {pxOf(block) < textPxMin ? (
              <span class="visually-hidden">{textOf(block)}</span>
            ) : (
              <>
                <b>{names[block.kind] ?? <Said text={block.value} />}</b>
                <small>{exact(block.sessions)}</small>
                <span class="visually-hidden">{endOf(block)}</span>
              </>
            )}
          </div>
          {block.children.length > 0 && (
            <Steps blocks={blocksOf(block.children)} of={block.sessions} all={all} />
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

/** The names of blocks that are neither a page nor an event. */
const names: Readonly<Partial<Record<Block["kind"], string>>> = {
  later_goal: "goal reached later",
  truncated: "more steps",
  drop_off: "leaves",
};

function textOf(block: Block): string {
  const own = names[block.kind];
  const value = shownText(block.value);
  const name = block.kind === "drop_off" ? `${own} from ${value}` : (own ?? value);
  return `${name}: ${exact(block.sessions)}${endOf(block)}`;
}
const endOf = ({ conversions, sessions }: Block): string =>
  ` sessions, ${percent(conversions / sessions)} reach the goal`;

/** Arrow keys move between blocks: up and down within a step, right to the next step, left back. */
function move(event: KeyboardEvent): void {
  const { target: from, key } = event;
  if (!(from instanceof HTMLElement) || from.title === "") return;
  const item = from.parentElement;
  const beside = {
    ArrowUp: () => item?.previousElementSibling,
    ArrowDown: () => item?.nextElementSibling,
    ArrowRight: () => item?.querySelector("li"),
    ArrowLeft: () => item?.parentElement?.closest("li"),
  }[key];
  const next = beside?.()?.querySelector<HTMLElement>(".flow-node");
  if (!next) return;
  event.preventDefault();
  from.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
