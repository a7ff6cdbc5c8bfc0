import { useState } from "preact/hooks";
import type { ContextAnswer, Project, PropertiesAnswer } from "../../data/answers";
import { call } from "../../data/api";
import { contextMax } from "../../data/limits";
import * as queries from "../../data/queries";
import { forget, useRead } from "../../data/reads";
import { scope } from "../../state/scope";
import { Card } from "../../ui/card";
import { Form } from "../../ui/form";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { Annotations } from "./annotations";

type Stored = ContextAnswer["project_context"];

/**
 * The form of the context that goes along with every answer of the API: what the numbers are for, and what names mean.
 */
export function Context({ project }: { readonly project: Project }) {
  // Kept here, because what was saved is read again, and the form is made from that.
  const [done, setDone] = useState("");
  const request = queries.context(project.name);
  const reading = useRead<ContextAnswer>("Project context", request);
  return (
    <Card title="Context" note="Every API response for this project includes this context.">
      <When reading={reading} rows={5}>
        {({ project_context: context }) => (
          <>
            <Words
              key={context.updated_at}
              project={project.name}
              context={context}
              done={done}
              setDone={setDone}
            />
            <Annotations project={project.name} annotations={context.annotations} />
          </>
        )}
      </When>
    </Card>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** `signup = Sign-up: An account was made.` */
const glossaryText = ({ glossary }: Stored): string =>
  glossary
    .map(({ event_name, term, definition }) => `${event_name} = ${term}: ${definition}`)
    .join("\n");

function glossaryOf(text: string) {
  return linesOf(text).map((line) => {
    const [, event_name = "", term = "", definition = ""] =
      /^([^=]+?)\s*=\s*([^:]+?)\s*:\s*(.+)$/.exec(line) ?? [];
    if (event_name === "") {
      throw new Error(`Write “${line}” in the form “event = Name: what it means”.`);
    }
    return { event_name, term, definition };
  });
}

interface WordsProps {
  readonly project: string;
  readonly context: Stored;
  readonly done: string;
  readonly setDone: (text: string) => void;
}

function Words({ project, context, done, setDone }: WordsProps) {
  const [goals, setGoals] = useState(context.goals.join("\n"));
  const [events, setEvents] = useState(context.activation_events.join("\n"));
  const [glossary, setGlossary] = useState(glossaryText(context));
  const save = async () => {
    setDone("");
    const body = {
      project,
      goals: linesOf(goals),
      activation_events: linesOf(events),
      glossary: glossaryOf(glossary),
      annotations: context.annotations,
      // The server refuses the change if somebody else saved one in the meantime, so that it overwrites nothing.
      updated_at: context.updated_at,
    };
    await call({ method: "PUT", path: "/project-context", body });
    setDone("Saved.");
    forget();
  };
  const area = (
    label: string,
    hint: string,
    max: number,
    value: string,
    change: (text: string) => void,
  ) => (
    <label>
      {label}
      <small>
        {hint} {linesOf(value).length} of {max}.
      </small>
      <textarea rows={3} value={value} onInput={(event) => change(event.currentTarget.value)} />
    </label>
  );
  return (
    <Form send={save} submit="Save context" done={done}>
      {area(
        "Purpose",
        "The purpose of the project, one sentence per line.",
        contextMax.goals,
        goals,
        setGoals,
      )}
      {area(
        "Activation events",
        "The steps to success in order, one event per line.",
        contextMax.activationEvents,
        events,
        setEvents,
      )}
      <SeenEvents add={(name) => setEvents([...linesOf(events), name].join("\n"))} />
      {area(
        "Glossary",
        "One term per line: signup = Sign-up: The visitor created an account.",
        contextMax.glossary,
        glossary,
        setGlossary,
      )}
    </Form>
  );
}

function SeenEvents({ add }: { readonly add: (name: string) => void }) {
  const request = queries.properties(scope.value);
  const names =
    useRead<PropertiesAnswer>("Events and property keys", request).data?.events.slice(0, 12) ?? [];
  if (names.length === 0) return null;
  return (
    <p class="suggestions">
      {names.map(({ event }) => (
        <button
          key={event}
          type="button"
          class="small"
          title={`Add ${event} to the activation events`}
          onClick={() => add(event)}
        >
          <Said text={event} />
        </button>
      ))}
    </p>
  );
}
