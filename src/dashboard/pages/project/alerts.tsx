import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { Alert, AlertsAnswer } from "../../data/message-answers";
import { prepare, useRead } from "../../data/reads";
import { localTime } from "../../lib/words";
import { Card } from "../../ui/card";
import { Field } from "../../ui/field";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { type Chosen, mayEdit, nobody, Targets, targetsIn, useNames } from "./targets";

const requestOf = (project: Project) =>
  ({ method: "GET", path: "/alerts", query: { project: project.name } }) as const;

const kinds: Readonly<Record<Alert["kind"], string>> = {
  change: "A day differs from what is usual",
  silence: "No events arrive where there should be some",
  surge: "Many more visitors than usual",
  goal: "An event happened",
};
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
            <ul id="alerts" class="entries">
              {alerts.map((one) => (
                <Entry key={one.id} alert={one} project={project} />
              ))}
            </ul>
            {mayEdit() && <NewAlert project={project} hasMail={mail} />}
          </>
        )}
      </When>
    </Card>
  );
}

function Entry({ alert, project }: { readonly alert: Alert; readonly project: Project }) {
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const namesOf = useNames();
  const path = `/alerts/${alert.id}`;
  const test = async () => {
    await call({ method: "POST", path: `${path}/test`, body: {} });
    setDone("A test is on its way to everybody on the list.");
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
      {mayEdit() && (
        <>
          <button type="button" class="small" disabled={isBusy} onClick={() => run(test)}>
            Test
          </button>
          <button type="button" class="small danger" disabled={isBusy} onClick={() => run(remove)}>
            Delete
          </button>
        </>
      )}
      <Outcome error={error} done={done} />
    </li>
  );
}

interface NewAlertProps {
  readonly project: Project;
  readonly hasMail: boolean;
}

function NewAlert({ project, hasMail }: NewAlertProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<string>("change");
  const [event, setEvent] = useState("");
  const [chosen, setChosen] = useState<Chosen>(nobody);
  const { error, isBusy, run } = useAction();
  const takesEvent = kind === "change" || kind === "goal";
  const make = (submitted: Event) => {
    submitted.preventDefault();
    run(async () => {
      const named = takesEvent && event.trim() !== "" ? { event: event.trim() } : {};
      const to = targetsIn(chosen);
      const body = { project: project.name, name: name.trim(), kind, ...named, to };
      await call({ method: "POST", path: "/alerts", body });
      setName("");
      setEvent("");
      setChosen(nobody);
      await prepare(requestOf(project), 0);
    });
  };
  return (
    <details id="new-alert">
      <summary>New alert</summary>
      <form class="form" onSubmit={make} aria-busy={isBusy} autocomplete="off">
        <Field id="alert-name" label="Name" maxLength={64} value={name} change={setName} />
        <label>
          <span>When</span>
          <select
            id="alert-kind"
            value={kind}
            onChange={(changed) => setKind(changed.currentTarget.value)}
          >
            {Object.entries(kinds).map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {takesEvent && (
          <Field
            id="alert-event"
            label="Event"
            hint={kind === "goal" ? "its name" : "optional: all events where it is empty"}
            isRequired={kind === "goal"}
            maxLength={256}
            value={event}
            change={setEvent}
          />
        )}
        <Targets form="alert" chosen={chosen} change={setChosen} hasMail={hasMail} />
        <Outcome error={error} done="" />
        <button type="submit" class="primary" disabled={targetsIn(chosen).length === 0}>
          Create alert
        </button>
      </form>
    </details>
  );
}
