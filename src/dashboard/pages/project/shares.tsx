import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import type { Share, SharesAnswer } from "../../data/sharing-answers";
import { countOf, localDate } from "../../lib/words";
import { may } from "../../state/rights";
import { filters } from "../../state/route";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Check, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";

const requestOf = (project: Project) =>
  ({ method: "GET", path: "/shares", query: { project: project.name } }) as const;

/** Links by which people without an account see this project's main numbers, until they are revoked. */
export function Shares({ project }: { readonly project: Project }) {
  const request = requestOf(project);
  const reading = useRead<SharesAnswer>("Shared links", request);
  const { error, isBusy, run } = useAction();
  const revoke = ({ id, name }: Share) =>
    run(async () => {
      if (!(await confirmed(`Revoke the link “${name}”? It stops working immediately.`, "Revoke")))
        return;
      await call({ method: "DELETE", path: `/shares/${encodeURIComponent(id)}` });
      await prepare(request, 0);
    });
  return (
    <Card title="Shared links" id="shares-heading">
      <p class="fine">
        Anyone with a shared link sees the main numbers of this project. Data about individual
        visitors is hidden unless you add it.
      </p>
      <When reading={reading} rows={2}>
        {({ shares }) => (
          <ul id="shares" class="entries">
            {shares.map((share) => (
              <li key={share.id}>
                <div>
                  <strong>
                    <Said text={share.name} />
                  </strong>
                  <p class="fine">{factsOf(share)}</p>
                  <CopyBlock text={share.url} what={`the link ${share.name}`} />
                </div>
                <button
                  type="button"
                  class="small danger"
                  aria-label={`Revoke ${share.name}`}
                  disabled={isBusy}
                  onClick={() => revoke(share)}
                >
                  Revoke
                </button>
              </li>
            ))}
          </ul>
        )}
      </When>
      <Outcome error={error} done="" />
      <NewShare project={project} />
    </Card>
  );
}

const factsOf = ({ created_at, expires_at, has_password, filters: held, pages }: Share): string =>
  [
    `since ${localDate(created_at)}`,
    ...(expires_at === null ? [] : [`until ${localDate(expires_at)}`]),
    ...(has_password ? ["with a password"] : []),
    ...(held.length > 0 ? [`${countOf(held.length, "filter")} applied`] : []),
    ...(pages.length > 0 ? [`also shows ${listed(pages)}`] : []),
  ].join(", ");

/** The pages about single visitors that can be added, and what a share has to name for each. */
const pagesNeeded: Readonly<Record<string, readonly string[]>> = {
  "Live and individual events": ["events"],
  Sessions: ["sessions", "session_id", "events"],
  Visitors: ["journeys", "user_id"],
  Recordings: ["replays"],
};

/**
 * Lists pages under the names with which they are added; other pages, which an agent has named, stand as they were
 * named.
 */
function listed(pages: readonly string[]): string {
  const whole = Object.entries(pagesNeeded).filter(([, needed]) =>
    needed.every((one) => pages.includes(one)),
  );
  const told = new Set(whole.flatMap(([, needed]) => needed));
  const names = whole.map(([name]) => name.toLowerCase());
  return [...names, ...pages.filter((one) => !told.has(one))].join(", ");
}

function NewShare({ project }: { readonly project: Project }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [until, setUntil] = useState("");
  const [added, setAdded] = useState<readonly string[]>([]);
  const make = async () => {
    const body = {
      project: project.name,
      name: name.trim(),
      ...(filters.value.length > 0 && { filters: filters.value }),
      ...(password !== "" && { password }),
      ...(added.length > 0 && { pages: added.flatMap((one) => pagesNeeded[one] ?? []) }),
      ...(until !== "" && { expires_at: new Date(until).toISOString() }),
    };
    await call({ method: "POST", path: "/shares", body });
    setName("");
    setPassword("");
    setUntil("");
    setAdded([]);
    await prepare(requestOf(project), 0);
  };
  return (
    <Form id="share-form" send={make} submit="Create link">
      <Field
        id="share-name"
        label="Name of the new link"
        maxLength={120}
        value={name}
        change={setName}
      />
      <Field
        id="share-password"
        label="Password"
        hint="optional"
        type="password"
        autocomplete="new-password"
        isRequired={false}
        maxLength={200}
        value={password}
        change={setPassword}
      />
      <label>
        <span>Expires</span>
        <small>optional</small>
        <input
          id="share-until"
          type="date"
          value={until}
          onInput={(event) => setUntil(event.currentTarget.value)}
        />
      </label>
      {may("people") ? (
        <fieldset class="checks">
          <legend>Also show</legend>
          {Object.keys(pagesNeeded).map((one, i) => (
            <Check
              key={one}
              id={`share-page-${i}`}
              label={one}
              isOn={added.includes(one)}
              change={(isOn) =>
                setAdded(isOn ? [...added, one] : added.filter((other) => other !== one))
              }
            />
          ))}
        </fieldset>
      ) : (
        <p class="fine">
          Only members who may see single visitors make links that show them, and see these links.
        </p>
      )}
    </Form>
  );
}
