import { isGuest } from "../../data/api";
import type { GoalRow, GoalRowsAnswer } from "../../data/goal-rows";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { exact, percent } from "../../lib/format";
import { money, shortMoney } from "../../lib/money";
import { type Filter, filtersMax, isSame } from "../../state/filters";
import { linkToFiltered } from "../../state/links";
import { may, mayOpen } from "../../state/rights";
import { filters, param, set } from "../../state/route";
import { scope } from "../../state/scope";
import { linkToSettings } from "../../state/settings";
import { BarList, type BarRow, type MoreColumn } from "../../ui/bar-list";
import { Card } from "../../ui/card";
import { Icon } from "../../ui/icons";
import { isHeld, toggle } from "../../ui/list-values";
import { Empty, When } from "../../ui/states";
import { type Overview, sessionsBefore } from "./data";

/** The numbers of each goal. Every list shows the rate and revenue of the chosen goal. */
export function Goals({ overview }: { readonly overview: Overview }) {
  const reading = useRead<GoalRowsAnswer>("Goals", queries.goals(scope.value));
  // Readers of a share cannot make goals.
  if (isGuest.value && !reading.data?.rows.length) return null;
  const { warnings = [] } = reading.data ?? {};
  return (
    <Card
      about="goals"
      title="Goals"
      note={warnings.map(({ message }) => message).join(" ") || undefined}
    >
      <When reading={reading}>
        {({ rows }) => (rows.length === 0 ? <None /> : <List rows={rows} overview={overview} />)}
      </When>
    </Card>
  );
}

const None = () => (
  <Empty>
    <strong>No goals yet</strong>
    <p>
      A goal is an event or a page that you count. You then see which sources and pages lead to it,
      and the revenue.
    </p>
    {may("edit") && (
      <a class="button" href={linkToSettings("goals")}>
        Create a goal
      </a>
    )}
  </Empty>
);

interface ListProps {
  readonly rows: readonly GoalRow[];
  readonly overview: Overview;
}

function List({ rows, overview }: ListProps) {
  const { hasBefore } = overview;
  const nameOf = (id: string): string => rows.find(({ goal }) => goal.id === id)?.goal.name ?? "";
  const isChosen = (id: string): boolean => param("goal") === id;
  return (
    <BarList
      head="Goal"
      unit="Conversions"
      hasDelta={hasBefore}
      choose={(id) => set({ goal: isChosen(id) ? null : id }, true)}
      isChosen={isChosen}
      chooseTitle={(name) => `Show the conversion rate and revenue of ${name} in every list`}
      rows={rows.map((row) => rowOf(row, hasBefore, sessionsBefore(overview)))}
      more={columnsOf(rows)}
      act={(id) => (
        <>
          <Who id={id} name={nameOf(id)} />
          <Only id={id} name={nameOf(id)} />
        </>
      )}
    />
  );
}

/** Goals have different currencies, so each row formats its own revenue. */
const columnsOf = (rows: readonly GoalRow[]): readonly MoreColumn[] => [
  { name: "Rate", format: percent, isRate: true },
  ...(rows.some(({ revenue }) => revenue !== null) ? [{ name: "Revenue", format: exact }] : []),
];

function rowOf(row: GoalRow, hasBefore: boolean, base: number): BarRow {
  const { goal, conversions, conversion_rate, revenue, currency, previous = {} } = row;
  const beforeOf = (name: string) => (hasBefore ? { before: previous[name] ?? null } : {});
  return {
    ...{ key: goal.id, label: goal.name, value: conversions, ...beforeOf("conversions") },
    more: [
      { value: conversion_rate, ...beforeOf("conversion_rate"), base },
      {
        ...{ value: revenue, ...beforeOf("revenue"), base: previous.conversions ?? 0 },
        ...(revenue !== null && {
          title: money(revenue, currency),
          format: (value: number) => shortMoney(value, currency),
        }),
      },
    ],
  };
}

interface OnlyProps {
  readonly id: string;
  readonly name: string;
}

/** A link to the visitors who reached the goal, and from there to their sessions and recordings. */
function Who({ id, name }: OnlyProps) {
  if (!mayOpen("people")) return null;
  const others = filters.value.filter((one) => !isSame(one, reached(id)));
  if (others.length >= filtersMax) return null;
  const text = `Visitors with ${name}`;
  return (
    <a
      class="tool square only"
      aria-label={text}
      title={text}
      href={linkToFiltered("people", [...others, reached(id)])}
    >
      <Icon name="people" />
    </a>
  );
}

const reached = (id: string): Filter => ({ session_did: { goal: id } });

/** A button that filters the page by sessions that reached the goal. */
function Only({ id, name }: OnlyProps) {
  const filter = { session_did: { goal: id } };
  const isOn = isHeld(filter);
  return (
    <button
      type="button"
      class="tool square only"
      aria-pressed={isOn}
      aria-label={`Only sessions with ${name}`}
      title={isOn ? "Remove filter" : `Only sessions with ${name}`}
      onClick={() => toggle(filter)}
    >
      <Icon name="filter" />
    </button>
  );
}
