import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { Alert, AlertsAnswer } from "../../data/message-answers";
import { prepare, useRead } from "../../data/reads";
import { localTime } from "../../lib/words";
import { may } from "../../state/rights";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { AlertForm, kinds } from "./alert-form";
import { useNames } from "./targets";

const requestOf = (project: Project) =>
  ({ method: "GET", path: "/alerts", query: { project: project.name } }) as const;

const states: Readonly<Record<Alert["state"], string>> = {
  learning: "Learning: it needs 28 days to know what is usual",
  ok: "All is as usual",
  firing: "Firing",
};

/** Rules that tell people when the numbers of this project need a look. */
export function Alerts({ project }: { readonly project: Project }) {
  const reading = useRead<AlertsAnswer>("Alerts", requestOf(project));
  return (
    <Card title="Alerts" id="alerts-heading">
      <When reading={reading} rows={2}>
        {({ alerts, mail }) => (
          <>
            {alerts.length === 0 && <p>No alerts yet.</p>}
            <ul id="alerts" class="entries">
              {alerts.map((one) => (
                <Entry key={one.id} alert={one} project={project} hasMail={mail} />
              ))}
            </ul>
            {may("edit") ? (
              <NewAlert project={project} hasMail={mail} />
            ) : (
              <p class="fine">Editors and admins of this account create and change alerts.</p>
            )}
          </>
        )}
      </When>
    </Card>
  );
}

interface EntryProps {
  readonly alert: Alert;
  readonly project: Project;
  readonly hasMail: boolean;
}

function Entry({ alert, project, hasMail }: EntryProps) {
  const [isChanging, setChanging] = useState(false);
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const namesOf = useNames();
  const path = `/alerts/${alert.id}`;
  const test = async () => {
    await call({ method: "POST", path: `${path}/test`, body: {} });
    setDone("A test is on its way to everybody in the list.");
  };
  const remove = async () => {
    if (!(await confirmed(`Delete the alert “${alert.name}”?`, "Delete"))) return;
    await call({ method: "DELETE", path });
    await prepare(requestOf(project), 0);
  };
  const [last] = alert.history;
  return (
    <li>
      <div>
        <strong>
          <Said text={alert.name} />
        </strong>
        <p class="fine">
          {kinds[alert.kind]}
          {alert.event !== undefined && (
            <>
              : <Said text={alert.event} />
            </>
          )}
          . To <Said text={namesOf(alert.to)} />
        </p>
        <p class={alert.state === "firing" ? "alert" : "fine"}>
          {states[alert.state]}
          {alert.state === "firing" && ` since ${localTime(alert.since)}`}
          {alert.state !== "firing" && last && `; fired last on ${localTime(last.from)}`}
        </p>
      </div>
      {may("edit") && (
        <>
          <button type="button" class="small" disabled={isBusy} onClick={() => run(test)}>
            Test
          </button>
          <button type="button" class="small" onClick={() => setChanging(!isChanging)}>
            {isChanging ? "Cancel" : "Change"}
          </button>
          <button type="button" class="small danger" disabled={isBusy} onClick={() => run(remove)}>
            Delete
          </button>
        </>
      )}
      <Outcome error={error} done={done} />
      {isChanging && (
        <AlertForm
          project={project}
          hasMail={hasMail}
          alert={alert}
          saved={async () => {
            await prepare(requestOf(project), 0);
            setChanging(false);
          }}
        />
      )}
    </li>
  );
}

function NewAlert({ project, hasMail }: Omit<EntryProps, "alert">) {
  return (
    <details id="new-alert">
      <summary>New alert</summary>
      <AlertForm
        project={project}
        hasMail={hasMail}
        alert={null}
        saved={() => prepare(requestOf(project), 0)}
      />
    </details>
  );
}
