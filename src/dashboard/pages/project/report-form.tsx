import { useState } from "preact/hooks";
import type { Project } from "../../data/answers";
import { call } from "../../data/api";
import type { Report } from "../../data/message-answers";
import { Choice, Field } from "../../ui/field";
import { Form } from "../../ui/form";
import { chosenOf, nobody, Targets, targetsIn } from "./targets";

const everies = {
  week: "Each Monday, about the week before",
  month: "On the 1st, about the month before",
} as const;

interface ReportFormProps {
  readonly project: Project;
  readonly hasMail: boolean;
  /** The report that the form changes; null for a new one. */
  readonly report: Report | null;
  readonly saved: () => Promise<void>;
}

/** Makes a report, or changes one. */
export function ReportForm({ project, hasMail, report, saved }: ReportFormProps) {
  const [every, setEvery] = useState<string>(report?.every ?? "week");
  const [hour, setHour] = useState(String(report?.hour ?? 8));
  const [chosen, setChosen] = useState(report === null ? nobody : chosenOf(report.recipients));
  const form = report?.id ?? "report";
  const send = async () => {
    const set = { every, hour: Number(hour), to: targetsIn(chosen) };
    await call(
      report === null
        ? { method: "POST", path: "/reports", body: { project: project.name, ...set } }
        : { method: "PATCH", path: `/reports/${report.id}`, body: set },
    );
    setChosen(nobody);
    await saved();
  };
  return (
    <Form
      send={send}
      submit={report === null ? "Create report" : "Save"}
      isDisabled={targetsIn(chosen).length === 0}
    >
      <Choice id={`${form}-every`} label="When" options={everies} value={every} change={setEvery} />
      <Field
        id={`${form}-hour`}
        label="Hour"
        hint="in the time zone of the project"
        type="number"
        min={0}
        max={23}
        value={hour}
        change={setHour}
      />
      <Targets form={form} project={project} chosen={chosen} change={setChosen} hasMail={hasMail} />
    </Form>
  );
}
