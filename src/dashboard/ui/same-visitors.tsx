import { Fragment } from "preact";
import { mayOpen } from "../state/rights";
import { filters, linkTo } from "../state/route";

const pages = [
  ["overview", "Overview"],
  ["people", "Visitors"],
  ["sessions", "Sessions"],
  ["replays", "Recordings"],
  ["events", "Events"],
] as const;

/** Links to other pages about the same visitors, with the same filters. Without filters there are no links. */
export function SameVisitors({ page }: { readonly page: string }) {
  const others = pages.filter(([name]) => name !== page && mayOpen(name));
  if (filters.value.length === 0 || others.length === 0) return null;
  return (
    <p class="fine">
      With these filters:{" "}
      {others.map(([name, text], i) => (
        <Fragment key={name}>
          {i > 0 && " · "}
          <a class="link" href={linkTo(name)}>
            {text}
          </a>
        </Fragment>
      ))}
    </p>
  );
}
