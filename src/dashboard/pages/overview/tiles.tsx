import { Sparkline } from "../../charts/sparkline";
import { beforeIn } from "../../data/compared";
import { period, set } from "../../state/route";
import { Defined } from "../../ui/defined";
import { Delta } from "../../ui/delta";
import type { Overview } from "./data";
import { knownIn, type Metric, metrics, valueIn } from "./metrics";

/** Six numbers; the chart below draws the chosen one. */
export function Tiles({
  overview,
  chosen,
}: {
  readonly overview: Overview;
  readonly chosen: Metric;
}) {
  const { now, overTime } = overview;
  return (
    <div class="tile-area">
      <div
        class="tiles"
        role="radiogroup"
        aria-label="Metric in the chart"
        aria-busy={now.isStale}
        data-old-lines={overTime.isStale}
      >
        {metrics.map((metric) => (
          <Tile key={metric.key} metric={metric} overview={overview} isChosen={metric === chosen} />
        ))}
      </div>
      {/* A button has no link in it: the marks lie over the corners of the tiles. */}
      <div class="tiles marks">
        {metrics.map(({ key, column, name }) => (
          <Defined key={key} by={column} name={name} />
        ))}
      </div>
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
  const { totals, hasBefore, buckets } = overview;
  const value = valueIn(totals, metric);
  const before = beforeIn(totals, metric.column);
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
        {!hasBefore || isUnknown ? (
          <span class="delta flat">&nbsp;</span>
        ) : (
          <>
            <Delta
              now={value}
              before={before}
              isInverse={metric.isInverse ?? false}
              isRate={metric.isRate ?? false}
            />
            <small>from {metric.format(before)}</small>
          </>
        )}
      </span>
      <Sparkline
        values={buckets.map((bucket) => knownIn(bucket.now, metric))}
        isOpen={period.value.isOpen}
      />
    </button>
  );
}
