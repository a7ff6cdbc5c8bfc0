import { useState } from "preact/hooks";
import { call } from "../data/api";
import { prepare, useRead } from "../data/reads";
import type { View, ViewsAnswer } from "../data/sharing-answers";
import { go, place } from "../state/route";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { Outcome } from "../ui/outcome";
import { useAction } from "../ui/use-action";
import { nameOfPage } from "./nav";

const requestOf = (project: string) =>
  ({ method: "GET", path: "/views", query: { project } }) as const;

/** Addresses under names: what is seen now is kept, and opened later by anybody of the account. */
export const ViewMenu = () => (
  <Menu
    id="view-menu"
    isEnd
    title="Saved views"
    label={
      <>
        <Icon name="note" />
        <span>Views</span>
      </>
    }
  >
    {(close) => <Views close={close} />}
  </Menu>
);

function Views({ close }: { readonly close: () => void }) {
  const { project, page } = place.value;
  const request = requestOf(project);
  const views = useRead<ViewsAnswer>("Saved views", request).data?.views ?? [];
  const [name, setName] = useState("");
  const { error, isBusy, run } = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const address = location.pathname + location.search;
      const body = { project, name: name.trim(), address };
      await call({ method: "POST", path: "/views", body });
      setName("");
      await prepare(request, 0);
    });
  };
  const remove = ({ id }: View) =>
    run(async () => {
      await call({ method: "DELETE", path: `/views/${encodeURIComponent(id)}` });
      await prepare(request, 0);
    });
  return (
    <>
      <ul class="choices views">
        {views.map((view) => (
          <li key={view.id}>
            <OpenView view={view} close={close} />
            <button
              type="button"
              class="small"
              aria-label={`Delete the view ${view.name}`}
              disabled={isBusy}
              onClick={() => remove(view)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {views.length === 0 && <p class="fine">None yet. A view keeps page, period and filters.</p>}
      <form class="form" onSubmit={save} aria-busy={isBusy}>
        <label>
          Save what is seen now, as
          <input
            id="view-name"
            value={name}
            required
            maxLength={120}
            placeholder={nameOfPage(page)}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Save
        </button>
      </form>
      <Outcome error={error} done="" />
    </>
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
        go(address);
      }}
    >
      <bdi class="cut">{name}</bdi>
    </button>
  ) : (
    <span class="open-view">
      <bdi class="cut">{name}</bdi> <small>no page of the dashboard</small>
    </span>
  );
