import { useEffect, useRef } from "preact/hooks";
import type { LiveAnswer } from "../../data/answers";
import { isGuest } from "../../data/api";
import * as queries from "../../data/queries";
import { prepare, useRead } from "../../data/reads";
import { countryName } from "../../lib/format";
import { Card } from "../../ui/card";
import { SaidWhole } from "../../ui/said";

/** The age that the numbers may have: an account is asked as often as the socket sends, a guest within its limit. */
const freshMs = { account: 1_900, guest: 9_000 };

/**
 * Returns the visitors of the last 5 minutes. It is the request of the toolbar, so that both show the same number. The
 * socket tells about one minute, which the rate of events needs.
 */
export function usePresence(project: string, atMs: number, isPaused: boolean) {
  const request = queries.live(project);
  const { data } = useRead<LiveAnswer>("Visitors in the last 5 minutes", request);
  useEffect(() => {
    if (atMs > 0 && document.visibilityState === "visible")
      void prepare(request, isGuest.value ? freshMs.guest : freshMs.account);
  }, [atMs]);
  const shown = useRef(data);
  if (!isPaused) shown.current = data;
  return shown.current;
}

interface PresenceProps {
  readonly presence: LiveAnswer;
  /** The time that the number is of. */
  readonly span: string;
}

export const Places = ({ presence: { top_pages, countries }, span }: PresenceProps) => (
  <div class="halves">
    <Counts
      span={span}
      id="live-pages"
      title="Pages"
      heads={["Page", "Visitors"]}
      rows={top_pages.map(({ path, visitors }) => [path, visitors])}
    />
    <Counts
      span={span}
      id="live-countries"
      title="Countries"
      heads={["Country", "Visitors", "Events"]}
      rows={countries.map((one) => [countryName(one.country), one.visitors, one.events])}
    />
  </div>
);

interface CountsProps {
  readonly span: string;
  readonly id: string;
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly [name: string, ...counts: number[]])[];
}

const Counts = ({ span, id, title, heads, rows }: CountsProps) => (
  <Card
    about="live"
    title={title}
    note={rows.length === 0 ? undefined : `${span.charAt(0).toUpperCase()}${span.slice(1)}.`}
  >
    {rows.length === 0 ? (
      <p class="fine">None {span}.</p>
    ) : (
      <table class="grid counts" id={id}>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th key={head} scope="col" class={i === 0 ? "" : "num"}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...counts]) => (
            <tr key={name}>
              <th scope="row">
                <SaidWhole text={name} />
              </th>
              {counts.map((count, i) => (
                <td key={heads[i + 1]} class="num">
                  {count.toLocaleString()}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Card>
);
