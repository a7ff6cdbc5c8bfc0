import { useState } from "preact/hooks";
import { call } from "../data/api";
import { prepare, useRead } from "../data/reads";
import type { ViewsAnswer } from "../data/sharing-answers";
import { pathHere } from "../lib/server-path";
import { place } from "../state/route";
import { Form } from "../ui/form";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";
import { useAction } from "../ui/use-action";
import { nameOfPage } from "./nav";
import { SavedView, viewNameCharsMax } from "./saved-view";

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
  const action = useAction();
  const reread = () => prepare(request, 0);
  const save = async () => {
    const address = pathHere() + location.search;
    const body = { project, name: name.trim(), address };
    await call({ method: "POST", path: "/views", body });
    setName("");
    await reread();
  };
  return (
    <>
      <ul class="choices views">
        {views.map((view) => (
          <li key={view.id}>
            <SavedView view={view} action={action} close={close} reread={reread} />
          </li>
        ))}
      </ul>
      {views.length === 0 && (
        <p class="fine">No saved views yet. A view saves the page, period and filters.</p>
      )}
      <Form send={save} submit="Save" action={action}>
        <label>
          Save the current page as
          <input
            id="view-name"
            value={name}
            required
            maxLength={viewNameCharsMax}
            placeholder={nameOfPage(page)}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
      </Form>
    </>
  );
}
