import { useEffect, useRef, useState } from "preact/hooks";
import { exact } from "../lib/format";
import { set } from "../state/route";
import { Tabs } from "./card";
import { chosenTab, type ListCard, labelOf } from "./list-values";
import { Nothing } from "./nothing";
import { When } from "./states";
import { columnsFor, useValues } from "./values-of";
import { ValuesTable } from "./values-table";

/** A panel with all values of a list and more numbers, to search and sort. The address says that it is open. */
export function Details({ card }: { readonly card: ListCard }) {
  const { title, name, head, tabs } = card;
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
        head={head}
        close={() => dialog.current?.close()}
      />
    </dialog>
  );
}

interface SearchedProps {
  readonly field: string;
  readonly head: string;
  readonly close?: () => void;
}

/** The table with its search. If the answer does not have all rows, the server searches, else this page does. */
export function Searched({ field, head, close }: SearchedProps) {
  const [text, setText] = useState("");
  const all = useValues(field);
  const isCut = all.reading.data?.groups_total !== undefined;
  const isSearched = isCut && text !== "";
  const found = useValues(field, isSearched ? [{ field, op: "contains", value: text }] : []);
  const { reading, rowsOf } = isSearched ? found : all;
  const wanted = text.toLowerCase();
  return (
    <>
      <input
        type="search"
        placeholder={`Search: ${head.toLowerCase()}`}
        aria-label="Search"
        value={text}
        maxLength={200}
        onInput={(event) => setText(event.currentTarget.value)}
      />
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
                columns={columnsFor(field)}
                labelOf={(value) => labelOf(field, value)}
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
