import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { rangeText, today } from "../lib/dates";
import { zone } from "../lib/zone";
import { choices, earlier, later } from "../state/period";
import { compareMode, comparison, param, period, set, setPeriod } from "../state/route";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";

/** Fetches what the page would show of a period; where somebody points is what they will probably choose. */
export const warmPeriod = signal<((key: string) => Promise<void>) | null>(null);
const warm = (key: string): void => void warmPeriod.value?.(key);

export function PeriodMenu({ hasCompare = true }: { readonly hasCompare?: boolean }) {
  const shown = period.value;
  const next = later(shown);
  return (
    <div class="period">
      <button
        type="button"
        class="tool square"
        title="Previous period (←)"
        aria-label="Previous period"
        onClick={() => setPeriod(earlier(shown))}
      >
        <Icon name="left" />
      </button>
      <Menu
        id="period-menu"
        isEnd
        title="Change period (T)"
        label={
          <>
            <Icon name="calendar" />
            <span>{shown.label}</span>
            <Icon name="chevron" />
          </>
        }
      >
        {(close) => <PeriodPanel close={close} hasCompare={hasCompare} />}
      </Menu>
      <button
        type="button"
        class="tool square"
        title="Next period (→)"
        aria-label="Next period"
        disabled={next === null}
        onClick={() => next !== null && setPeriod(next)}
      >
        <Icon name="right" />
      </button>
    </div>
  );
}

function PeriodPanel({
  close,
  hasCompare,
}: {
  readonly close: () => void;
  readonly hasCompare: boolean;
}) {
  const shown = period.value;
  const [from, setFrom] = useState(shown.from);
  const [to, setTo] = useState(shown.to);
  const apply = (event: Event) => {
    event.preventDefault();
    if (from > to) return;
    setPeriod(`${from}..${to}`);
    close();
  };
  return (
    <>
      <div class="choices periods" role="radiogroup" aria-label="Period">
        {choices.map(({ key, label, letter }) => (
          // biome-ignore lint/a11y/useSemanticElements: one of several buttons is pressed
          <button
            key={key}
            type="button"
            role="radio"
            aria-checked={(param("period") || "30d") === key}
            onPointerEnter={() => warm(key)}
            onFocus={() => warm(key)}
            onClick={() => {
              setPeriod(key);
              close();
            }}
          >
            {label}
            {letter !== undefined && <kbd>{letter.toUpperCase()}</kbd>}
          </button>
        ))}
      </div>
      <form class="range" onSubmit={apply}>
        <label>
          From
          <input
            type="date"
            value={from}
            max={today()}
            onInput={(event) => setFrom(event.currentTarget.value)}
          />
        </label>
        <label>
          To
          <input
            type="date"
            value={to}
            min={from}
            max={today()}
            onInput={(event) => setTo(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={from > to}>
          Show
        </button>
      </form>
      {hasCompare && <Compare />}
      <p class="fine">Days are in the time zone {zone.value}.</p>
    </>
  );
}

function Compare() {
  const mode = compareMode.value;
  const earlierWindow = comparison.value;
  const options = [
    ["previous", "Previous period"],
    ["week", "Week before"],
    ["year", "Year before"],
    ["none", "None"],
  ] as const;
  return (
    <fieldset class="compare">
      <legend>
        Compare with<kbd>C</kbd>
      </legend>
      {options.map(([key, text]) => (
        <label key={key}>
          <input
            type="radio"
            name="compare"
            checked={mode === key}
            onChange={() => set({ compare: key === "previous" ? null : key })}
          />
          {text}
        </label>
      ))}
      {earlierWindow !== null && <small>{rangeText(earlierWindow.from, earlierWindow.to)}</small>}
    </fieldset>
  );
}
