import { Sparkline } from "../../charts/sparkline";
import { exact } from "../../lib/format";
import { period, set } from "../../state/route";
import { Delta } from "../../ui/delta";
import type { Overview } from "./data";
import { type Metric, metrics, valueIn } from "./metrics";

/** Six numbers; the one that is chosen is drawn below. */
export function Tiles({
  overview,
  chosen,
}: {
  readonly overview: Overview;
  readonly chosen: Metric;
}) {
  const { now, before } = overview;
  return (
    <div
      class="tiles"
      role="radiogroup"
      aria-label="Number that the chart shows"
      aria-busy={now.isStale || before.isStale}
    >
      {metrics.map((metric) => (
        <Tile key={metric.key} metric={metric} overview={overview} isChosen={metric === chosen} />
      ))}
    </div>
  );
}

function Tile({
  metric,
  overview,
  isChosen,
}: {
  readonly metric: Metric;
  readonly overview: Overview;
  readonly isChosen: boolean;
}) {
  const { totals, totalsBefore, buckets } = overview;
  const value = valueIn(totals, metric);
  const isUnknown = totals === undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: one of several buttons is pressed
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      class="tile"
      title={`${metric.meaning}${isUnknown ? "" : ` ${metric.exact(value)}`}`}
      onClick={() => set({ metric: metric.key === "visitors" ? null : metric.key }, true)}
    >
      <span class="tile-name">{metric.name}</span>
      <span class="tile-value">{isUnknown ? "–" : metric.format(value)}</span>
      <span class="tile-delta">
        {totalsBefore === undefined || isUnknown ? (
          <span class="delta flat">&nbsp;</span>
        ) : (
          <>
            <Delta
              now={value}
              before={valueIn(totalsBefore, metric)}
              isInverse={metric.isInverse ?? false}
              isRate={metric.isRate ?? false}
            />
            <small>
              from{" "}
              {metric.isRate || metric.key === "duration"
                ? metric.format(valueIn(totalsBefore, metric))
                : short(valueIn(totalsBefore, metric))}
            </small>
          </>
        )}
      </span>
      <Sparkline
        values={buckets.map((bucket) => valueIn(bucket.now, metric))}
        isOpen={period.value.isOpen}
      />
    </button>
  );
}

const short = (value: number): string =>
  value < 10_000 ? exact(value) : `${(value / 1000).toFixed(1)}k`;
