import { isGuest } from "../../data/api";
import { filters } from "../../state/route";

/** Stands for an empty list of an event that the tracker sends only where the snippet says so. */
export const NotRecorded = ({ attribute }: { readonly attribute: string }) => (
  <p class="state low">
    None in this period
    {filters.value.length > 0 ? " with these filters" : ""}.{" "}
    {!isGuest.value && (
      <>
        The tracker records them when the snippet has <code>{attribute}="true"</code>.
      </>
    )}
  </p>
);
