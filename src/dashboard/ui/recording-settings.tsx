import { useState } from "preact/hooks";
import { call } from "../data/api";
import { forget, useRead } from "../data/reads";
import type { ApiRequest } from "../data/request";
import { Card } from "./card";
import { CopyBlock } from "./copy-block";
import { Choice, Field } from "./field";
import { Form } from "./form";
import { When } from "./states";
import { useAction } from "./use-action";

export interface RecordingSettingsAnswer {
  readonly enabled: boolean;
  readonly start_mode: string;
  readonly sample_rate: number;
  readonly mask_selectors: readonly string[];
  readonly block_selectors: readonly string[];
  readonly retention_days: number;
  readonly snippet: string;
}

export const recordingSettings = (project: string): ApiRequest => ({
  method: "GET",
  path: "/replays/settings",
  query: { project },
});

const modes = {
  after_consent: "After the visitor consents",
  immediate: "At once",
  manual: "When the page calls aaReplay.start()",
};

/** The settings of a project's recordings: when they start, what they hide, and how long the server stores them. */
export function RecordingSettings({ project }: { readonly project: string }) {
  const reading = useRead<RecordingSettingsAnswer>(
    "Settings of recordings",
    recordingSettings(project),
  );
  return (
    <Card about="recordings" title="Settings of recordings" id="recording-settings">
      <When reading={reading} rows={6}>
        {(answer) => <Fields key={JSON.stringify(answer)} {...{ project, answer }} />}
      </When>
    </Card>
  );
}

interface FieldsProps {
  readonly project: string;
  readonly answer: RecordingSettingsAnswer;
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

function Fields({ project, answer }: FieldsProps) {
  const [mode, setMode] = useState(answer.start_mode);
  const [percent, setPercent] = useState(String(Math.round(answer.sample_rate * 10_000) / 100));
  const [days, setDays] = useState(String(answer.retention_days));
  const [masked, setMasked] = useState(answer.mask_selectors.join("\n"));
  const [blocked, setBlocked] = useState(answer.block_selectors.join("\n"));
  const action = useAction();
  const switchTo = (word: "enable" | "disable") =>
    action.run(async () => {
      await call({ method: "POST", path: `/replays/${word}`, body: { project } });
      forget();
    });
  const save = async () => {
    const body = {
      ...{ project, start_mode: mode, sample_rate: Number(percent) / 100 },
      ...{ mask_selectors: linesOf(masked), block_selectors: linesOf(blocked) },
      retention_days: Number(days),
    };
    await call({ method: "PUT", path: "/replays/settings", body });
    forget();
  };
  return (
    <Form send={save} submit="Save" action={action}>
      <p>
        {answer.enabled
          ? "Recording is on, on pages that have this snippet after the tracker's."
          : "Recording is off. A recording shows what a visitor saw and did, but no form inputs."}
      </p>
      {answer.enabled && <CopyBlock text={answer.snippet} what="the recorder's snippet" />}
      <div class="buttons">
        <button
          type="button"
          class={answer.enabled ? "second" : "primary"}
          disabled={action.isBusy}
          onClick={() => switchTo(answer.enabled ? "disable" : "enable")}
        >
          {answer.enabled ? "Turn off recording" : "Turn on recording"}
        </button>
      </div>
      <Choice id="recording-mode" label="Start" options={modes} value={mode} change={setMode} />
      <Field
        id="recording-sample"
        label="Sessions to record, in percent"
        type="number"
        min={0}
        max={100}
        value={percent}
        change={setPercent}
      />
      <Field
        id="recording-days"
        label="Days until a recording is deleted"
        type="number"
        min={1}
        max={365}
        value={days}
        change={setDays}
      />
      <Selectors
        id="recording-masked"
        label="Text to replace by stars"
        value={masked}
        change={setMasked}
      />
      <Selectors
        id="recording-blocked"
        label="Elements to leave out"
        value={blocked}
        change={setBlocked}
      />
    </Form>
  );
}

interface SelectorsProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

const Selectors = ({ id, label, value, change }: SelectorsProps) => (
  <label for={id}>
    <span>{label}</span>
    <small>CSS selectors, one a line, such as .address. New recordings follow them.</small>
    <textarea
      id={id}
      rows={2}
      spellcheck={false}
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  </label>
);
