import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { PreviewAnswer, Report, ReportsAnswer } from "../../data/message-answers";
import { prepare, useRead } from "../../data/reads";
import { localDate, localTime } from "../../lib/words";
import { account } from "../../state/account";
import { may } from "../../state/rights";
import { Card } from "../../ui/card";
import { Outcome } from "../../ui/outcome";
import { confirmed } from "../../ui/question";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { ReportForm } from "./report-form";
import { useNames } from "./targets";

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
            {reports.length === 0 && <p>No reports yet.</p>}
            <ul id="reports" class="entries">
              {reports.map((one) => (
                <Entry key={one.id} report={one} project={project} hasMail={mail} />
              ))}
            </ul>
            {!may("edit") && (
              <p class="fine">
                You can have reports sent to yourself. Editors and admins send them to others.
              </p>
            )}
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
  const [isChanging, setChanging] = useState(false);
  const [done, setDone] = useState("");
  const { error, isBusy, run } = useAction();
  const namesOf = useNames();
  const path = `/reports/${report.id}`;
  const own = account.value?.user?.id;
  const mayChange = may("edit") || report.recipients.every(({ to }) => to === own);
  const show = async () =>
    setLetter(
      (await call<PreviewAnswer>({ method: "GET", path: `${path}/preview`, query: {} })).answer,
    );
  const send = async () => {
    await call({ method: "POST", path: `${path}/send`, body: {} });
    setDone("It is on its way to you.");
  };
  const restart = async () => {
    await call({ method: "PATCH", path, body: {} });
    await prepare(requestOf(project), 0);
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
        <>
          {report.stopped_at !== undefined && (
            <button type="button" class="small" disabled={isBusy} onClick={() => run(restart)}>
              Start again
            </button>
          )}
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
        <ReportForm
          project={project}
          hasMail={hasMail}
          report={report}
          saved={async () => {
            await prepare(requestOf(project), 0);
            setChanging(false);
          }}
        />
      )}
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
  return (
    <details id="new-report">
      <summary>{may("edit") ? "New report" : "Subscribe to a report"}</summary>
      <ReportForm
        project={project}
        hasMail={hasMail}
        report={null}
        saved={() => prepare(requestOf(project), 0)}
      />
    </details>
  );
}
