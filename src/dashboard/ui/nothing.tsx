import type { ComponentChildren } from "preact";
import { projects } from "../state/account";
import { filters, linkTo, place, set } from "../state/route";
import { Empty } from "./states";

/** Nothing that fits what was asked: says so, and what to do about it. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  const shown = projects.value.find(({ name }) => name === place.value.project);
  return (
    <Empty>
      <strong>{children}</strong>
      <WhatToDo isNew={shown?.total_events === 0} />
    </Empty>
  );
}

function WhatToDo({ isNew }: { readonly isNew: boolean }) {
  if (isNew) {
    return (
      <>
        <p>No event of this project has arrived yet.</p>
        <a class="button" href={linkTo("project")}>
          Put the snippet in
        </a>
      </>
    );
  }
  if (filters.value.length === 0) return <p>Choose a longer period.</p>;
  return (
    <>
      <p>Choose a longer period, or other filters.</p>
      <button type="button" onClick={() => set({ filter: null })}>
        Take all filters away
      </button>
    </>
  );
}
