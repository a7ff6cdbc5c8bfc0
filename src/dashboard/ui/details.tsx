import { useEffect, useRef, useState } from "preact/hooks";
import { isCompared } from "../data/compared";
import { exact } from "../lib/format";
import { param, set } from "../state/route";
import { Tabs } from "./card";
import { useGoalNames } from "./goal-names";
import { chosenTab, headOf, type ListCard, labelOf } from "./list-values";
import { Nothing } from "./nothing";
import { When } from "./states";
import { useValues } from "./values-of";
import { type ValueColumn, ValuesTable } from "./values-table";

export interface DetailsProps {
  readonly card: ListCard;
  readonly hasDelta: boolean;
}

/** A panel with all values of a list and more numbers, to search and sort. The address says that it is open. */
export function Details({ card, hasDelta }: DetailsProps) {
  const { title, name, tabs } = card;
  const tab = chosenTab(card);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class="details"
      ref={dialog}
      aria-labelledby="details-title"
      onClose={() => set({ details: null })}
    >
      <header class="card-head">
        <h2 id="details-title">{title}</h2>
        {tabs.length > 1 && (
          <Tabs
            label={title}
            value={tab.key}
            options={tabs.map(({ key, text }) => [key, text])}
            choose={(key) => set({ [name]: key === tabs[0].key ? null : key }, true)}
          />
        )}
        <form method="dialog" class="card-tools">
          <button type="submit" class="second">
            Close
          </button>
        </form>
      </header>
      <Searched
        key={tab.field}
        field={tab.field}
        head={headOf(card, tab)}
        hasDelta={hasDelta}
        close={() => dialog.current?.close()}
      />
    </dialog>
  );
}

interface SearchedProps {
  readonly field: string;
  readonly head: string;
  readonly hasDelta: boolean;
  readonly close?: () => void;
}

/** The table with its search. If the answer does not have all rows, the server searches, else this page does. */
export function Searched({ field, head, hasDelta, close }: SearchedProps) {
  const [text, setText] = useState("");
  const all = useValues(field);
  const isCut = all.reading.data?.groups_total !== undefined;
  const isSearched = isCut && text !== "";
  const found = useValues(field, isSearched ? [{ field, op: "contains", value: text }] : []);
  const { reading, rowsOf, columns } = isSearched ? found : all;
  const hidden = param("hide").split(",");
  const wanted = text.toLowerCase();
  return (
    <>
      <div class="list-tools">
        <input
          type="search"
          placeholder={`Search: ${head.toLowerCase()}`}
          aria-label="Search"
          value={text}
          maxLength={200}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <GoalChoice />
        <ColumnChoice columns={columns} hidden={hidden} />
      </div>
      <When reading={reading} rows={14}>
        {(answer) => {
          if (answer.rows.length === 0 && text === "") {
            return <Nothing>No values in this period</Nothing>;
          }
          const rows = rowsOf(answer).filter((row) => {
            const value = row[field];
            if (value === null || value === undefined) return false;
            return `${value} ${labelOf(field, String(value))}`.toLowerCase().includes(wanted);
          });
          return (
            <>
              <ValuesTable
                {...{ label: `All values: ${head}`, head, field, rows }}
                columns={columns.filter(({ key }) => !hidden.includes(key))}
                hasDelta={hasDelta && isCompared(answer)}
                {...(close !== undefined && { chosen: close })}
              />
              {answer.groups_total !== undefined && (
                <p class="card-note">
                  Showing the largest {exact(answer.count)} of {exact(answer.groups_total)}.
                </p>
              )}
            </>
          );
        }}
      </When>
    </>
  );
}

/** Chooses the goal whose conversions and revenue are columns; nothing if the project has no goals. */
function GoalChoice() {
  const goals = useGoalNames();
  if (goals.length === 0) return null;
  return (
    <label class="inline">
      Goal
      <select
        value={param("goal")}
        onChange={(event) => set({ goal: event.currentTarget.value || null }, true)}
      >
        <option value="">None</option>
        {goals.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ColumnChoiceProps {
  readonly columns: readonly ValueColumn[];
  /** The keys of the hidden columns. */
  readonly hidden: readonly string[];
}

function ColumnChoice({ columns, hidden }: ColumnChoiceProps) {
  const toggleColumn = (key: string, isShown: boolean) => {
    const others = hidden.filter((one) => one !== key && one !== "");
    set({ hide: (isShown ? others : [...others, key]).join(",") || null }, true);
  };
  return (
    <details class="column-choice">
      <summary>Columns</summary>
      <fieldset class="checks">
        <legend class="visually-hidden">Columns</legend>
        {columns.map(({ key, name }) => (
          <label key={key} class="inline">
            <input
              type="checkbox"
              checked={!hidden.includes(key)}
              onChange={(event) => toggleColumn(key, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
