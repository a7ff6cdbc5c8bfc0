import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { PreviewAnswer, Report, ReportsAnswer } from "../../data/message-answers";
import { prepare, useRead } from "../../data/reads";
import { localDate, localTime } from "../../lib/words";
import { account } from "../../state/account";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { type Chosen, mayEdit, nobody, Targets, targetsIn, useNames } from "./targets";

const requestOf = (project: Project) =>
  ({ method: "GET", path: "/reports", query: { project: project.name } }) as const;

/** Letters about this project, each week or month. */
export function Reports({ project }: { readonly project: Project }) {
  const reading = useRead<ReportsAnswer>("Reports", requestOf(project));
  return (
    <Card title="Reports" id="reports-heading">
      <p class="fine">
        A letter about the last week or month: what changed in a few sentences, then the numbers.
      </p>
      <When reading={reading} rows={2}>
        {({ reports, mail }) => (
          <>
            <ul id="reports" class="entries">
              {reports.map((one) => (
                <Entry key={one.id} report={one} project={project} hasMail={mail} />
              ))}
            </ul>
            <NewReport project={project} hasMail={mail} />
          </>
        )}
      </When>
    </Card>
  );
}

const titleOf = ({ every }: Report): string => (every === "week" ? "Each Monday" : "Each month");

interface EntryProps {
  readonly report: Report;
  readonly project: Project;
  readonly hasMail: boolean;
}

function Entry({ report, project, hasMail }: EntryProps) {
  const [letter, setLetter] = useState<PreviewAnswer | null>(null);
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const namesOf = useNames();
  const path = `/reports/${report.id}`;
  const own = account.value?.user?.id;
  const mayChange = mayEdit() || report.recipients.every(({ to }) => to === own);
  const show = async () =>
    setLetter(
      (await call<PreviewAnswer>({ method: "GET", path: `${path}/preview`, query: {} })).answer,
    );
  const send = async () => {
    await call({ method: "POST", path: `${path}/send`, body: {} });
    setDone("It is on its way to you.");
  };
  const remove = async () => {
    if (!(await confirmed("Delete this report? Nobody gets it any more.", "Delete"))) return;
    await call({ method: "DELETE", path });
    await prepare(requestOf(project), 0);
  };
  return (
    <li>
      <div>
        <strong>
          {titleOf(report)} at {report.hour}:00
        </strong>
        <p class="fine">
          To <Said text={namesOf(report.recipients)} />
        </p>
        <p class="fine">{stateOf(report)}</p>
      </div>
      <button type="button" class="small" disabled={isBusy} onClick={() => run(show)}>
        Preview
      </button>
      {hasMail && (
        <button type="button" class="small" disabled={isBusy} onClick={() => run(send)}>
          Send to me
        </button>
      )}
      {mayChange && (
        <button type="button" class="small danger" disabled={isBusy} onClick={() => run(remove)}>
          Delete
        </button>
      )}
      <Outcome error={error} done={done} />
      {letter !== null && (
        <details open>
          <summary>
            <Said text={letter.subject} />
          </summary>
          {/* The server has made the texts of visitors in it inert. */}
          <pre class="code-block">{letter.text}</pre>
        </details>
      )}
    </li>
  );
}

function stateOf({ next_at, stopped_at, last }: Report): string {
  const next =
    stopped_at === undefined
      ? `Next on ${localTime(next_at ?? 0)}`
      : "Stopped, as nothing happened for four periods";
  if (last === undefined) return `${next}; none was sent yet.`;
  const failed = last.failed > 0 ? `, ${last.failed} of them not delivered` : "";
  return `${next}; last on ${localDate(last.sent_at)} to ${last.sent + last.failed}${failed}.`;
}

function NewReport({ project, hasMail }: Omit<EntryProps, "report">) {
  const [every, setEvery] = useState("week");
  const [hour, setHour] = useState("8");
  const [chosen, setChosen] = useState<Chosen>(nobody);
  const { error, isBusy, run } = useAction();
  const make = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const body = { project: project.name, every, hour: Number(hour), to: targetsIn(chosen) };
      await call({ method: "POST", path: "/reports", body });
      setChosen(nobody);
      await prepare(requestOf(project), 0);
    });
  };
  return (
    <details id="new-report">
      <summary>New report</summary>
      <form class="form" onSubmit={make} aria-busy={isBusy} autocomplete="off">
        <label>
          <span>When</span>
          <select
            id="report-every"
            value={every}
            onChange={(event) => setEvery(event.currentTarget.value)}
          >
            <option value="week">Each Monday, about the week before</option>
            <option value="month">On the 1st, about the month before</option>
          </select>
        </label>
        <label>
          <span>Hour</span>
          <small>in the time zone of the project</small>
          <input
            id="report-hour"
            type="number"
            min={0}
            max={23}
            value={hour}
            onInput={(event) => setHour(event.currentTarget.value)}
          />
        </label>
        <Targets form="report" chosen={chosen} change={setChosen} hasMail={hasMail} />
        <Outcome error={error} done="" />
        <button type="submit" class="primary" disabled={targetsIn(chosen).length === 0}>
          Create report
        </button>
      </form>
    </details>
  );
}
