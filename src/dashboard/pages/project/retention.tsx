import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { StoredDaysAnswer } from "../../data/project-answers";
import { forget, prepare, useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { Card } from "../../ui/card";
import { Check } from "../../ui/field";
import { Form } from "../../ui/form";
import { When } from "../../ui/states";

/** For how long events are stored, and whether they go to files then. */
export function Retention({ project }: { readonly project: Project }) {
  const path = `/projects/${encodeURIComponent(project.id)}`;
  const reading = useRead<StoredDaysAnswer>("Retention", { method: "GET", path });
  return (
    <Card title="How long events are stored" id="retention-heading">
      <When reading={reading} rows={3}>
        {(answer) => (
          <Fields key={`${answer.retention_days} ${answer.archive}`} path={path} answer={answer} />
        )}
      </When>
    </Card>
  );
}

interface FieldsProps {
  readonly path: string;
  readonly answer: StoredDaysAnswer;
}

function Fields({ path, answer }: FieldsProps) {
  const [days, setDays] = useState(String(answer.retention_days ?? ""));
  const [isArchiving, setArchiving] = useState(answer.archive);
  const save = async () => {
    const body = {
      retention_days: days === "" ? null : Number(days),
      ...(isArchiving !== answer.archive && { archive: isArchiving }),
    };
    await call({ method: "PATCH", path, body });
    forget();
    await prepare({ method: "GET", path }, 0);
  };
  return (
    <Form send={save} submit="Save">
      <p>{sentenceOf(answer)}</p>
      {answer.archive_failing && (
        <p class="alert" role="alert">
          The archive cannot be written, so nothing is deleted. The log of the server has the
          reason.
        </p>
      )}
      <label>
        Days
        <small>
          Leave it empty for the number of the server, which its operator sets with RETENTION_DAYS:
          0 is for ever. Deleted events do not come back.
        </small>
        <input
          id="retention-days"
          type="number"
          min={1}
          step={1}
          value={days}
          onInput={(event) => setDays(event.currentTarget.value)}
        />
      </label>
      <Check
        id="retention-archive"
        label="Write events to files before they are deleted"
        isOn={isArchiving}
        change={setArchiving}
      />
    </Form>
  );
}

function sentenceOf({
  retention: { days, from, next_run_at: next, events_to_go },
}: StoredDaysAnswer) {
  if (days === null || from === null) return "Events are stored for ever.";
  const run = next.slice(0, 16).replace("T", " at ");
  const going = events_to_go === 0 ? "no events" : `${exact(events_to_go)} events`;
  const stored = `Events are stored for ${exact(days)} days.`;
  return `${stored} The next run, on ${run} UTC, deletes ${going} from before ${from}.`;
}
