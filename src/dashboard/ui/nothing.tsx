import type { ComponentChildren } from "preact";
import { isGuest } from "../data/api";
import { projects } from "../state/account";
import { filters, linkTo, place, set } from "../state/route";
import { Empty } from "./states";

/** Nothing that fits what was asked: says so, and what to do about it. */
export const Nothing = ({ children, otherwise = "a longer period" }: NothingProps) => (
  <Empty>
    <strong>{children}</strong>
    <WhatToDo otherwise={otherwise} />
  </Empty>
);

interface NothingProps {
  readonly children: ComponentChildren;
  /** The choice that would show something. */
  readonly otherwise?: string;
}

/** Tells whether its owner has yet to put the snippet in. */
const isNew = (): boolean =>
  !isGuest.value &&
  projects.value.find(({ name }) => name === place.value.project)?.total_events === 0;

/** Stands for an empty list among others, where a sentence is enough. */
export const NothingListed = ({ children }: { readonly children: string }) => (
  <p class="state low">
    {isNew()
      ? "This project has no events yet. Install the snippet from its settings."
      : `No data in this period. ${
          children ||
          (filters.value.length > 0
            ? "Remove a filter, or choose a longer period."
            : "Choose a longer period.")
        }`}
  </p>
);

function WhatToDo({ otherwise }: { readonly otherwise: string }) {
  if (isNew()) {
    return (
      <>
        <p>This project has no events yet.</p>
        <a class="button" href={linkTo("project")}>
          Install the snippet
        </a>
      </>
    );
  }
  if (filters.value.length === 0) return <p>Choose {otherwise}.</p>;
  return (
    <>
      <p>Choose {otherwise} or other filters.</p>
      <button type="button" onClick={() => set({ filter: null })}>
        Remove all filters
      </button>
    </>
  );
}
