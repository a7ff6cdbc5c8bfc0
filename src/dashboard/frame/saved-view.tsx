import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../data/api";
import type { View } from "../data/sharing-answers";
import { viewAddress } from "../lib/view-address";
import { projects } from "../state/account";
import { go, place } from "../state/route";
import { Icon } from "../ui/icons";
import { Said } from "../ui/said";
import type { Action } from "../ui/use-action";

export const viewNameCharsMax = 120;

interface SavedViewProps {
  readonly view: View;
  readonly action: Action;
  readonly close: () => void;
  /** Reads the list again. */
  readonly reread: () => Promise<void>;
}

/** One view of the list: it is opened, renamed in its place, and deleted. */
export function SavedView({ view, action, close, reread }: SavedViewProps) {
  const [isRenaming, setRenaming] = useState(false);
  const renameButton = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  useEffect(() => {
    // While the view is being kept, the button cannot take the focus.
    if (!isRenaming && action.isBusy) return;
    if (wasRenaming.current && !isRenaming) renameButton.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming, action.isBusy]);
  const path = `/views/${encodeURIComponent(view.id)}`;
  const rename = (name: string) =>
    action.run(async () => {
      if (name !== view.name) {
        await call({ method: "PATCH", path, body: { name } });
        await reread();
      }
      setRenaming(false);
    });
  const remove = () =>
    action.run(async () => {
      await call({ method: "DELETE", path });
      await reread();
      // The button is gone, and what had the focus with it.
      document.getElementById("view-name")?.focus();
    });
  if (isRenaming) {
    return <NameForm name={view.name} rename={rename} cancel={() => setRenaming(false)} />;
  }
  return (
    <>
      <OpenView view={view} close={close} />
      <button
        type="button"
        class="small"
        ref={renameButton}
        aria-label={`Rename the view ${view.name}`}
        title="Rename"
        disabled={action.isBusy}
        onClick={() => setRenaming(true)}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        class="small"
        aria-label={`Delete the view ${view.name}`}
        title="Delete"
        disabled={action.isBusy}
        onClick={remove}
      >
        <Icon name="close" />
      </button>
    </>
  );
}

interface NameFormProps {
  readonly name: string;
  readonly rename: (name: string) => void;
  readonly cancel: () => void;
}

/** Enter keeps the name. Escape leaves it as it was, and the menu open. */
function NameForm({ name: before, rename, cancel }: NameFormProps) {
  const [name, setName] = useState(before);
  const field = useRef<HTMLInputElement>(null);
  // Before it is painted: the next key belongs to the field.
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <form
      class="rename-view"
      onSubmit={(event) => {
        event.preventDefault();
        rename(name.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        cancel();
      }}
    >
      <input
        aria-label={`New name of the view ${before}`}
        ref={field}
        value={name}
        required
        maxLength={viewNameCharsMax}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="small">
        Rename
      </button>
    </form>
  );
}

interface OpenViewProps {
  readonly view: View;
  readonly close: () => void;
}

/** An address is anybody's text: it opens a page of the dashboard, or nothing. */
const OpenView = ({ view: { name, address }, close }: OpenViewProps) =>
  address.startsWith("/app/p/") ? (
    <button
      type="button"
      class="open-view"
      onClick={() => {
        close();
        const names = projects.value.flatMap((one) => [one.id, one.name]);
        go(viewAddress(address, names, place.value.project));
      }}
    >
      <Said class="cut" text={name} />
    </button>
  ) : (
    <span class="open-view">
      <Said class="cut" text={name} /> <small>not a page of the dashboard</small>
    </span>
  );
