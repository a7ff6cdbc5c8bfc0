import { ownerText, visitorText } from "../mail/letter";
import { type AlertSpec, type EachSpec, isEach } from "./specs";

/** The message of an alert, as a subject without any text of visitors and as a sentence. */
export interface AlertWords {
  readonly what: string;
  readonly sentence: string;
}

/** The numbers of a judgement, as `evaluate` shows them. */
export interface AlertNumbers {
  readonly observed?: number;
  readonly previous?: number;
  readonly expected?: number;
  readonly minutes?: number;
  readonly date?: string;
  readonly count?: number;
}

const metricWords = { events: "events", sessions: "sessions", users: "visitors" } as const;

export function firingWords(spec: AlertSpec, numbers: AlertNumbers): AlertWords {
  if (isEach(spec)) return eachWords(spec, numbers);
  const { observed = 0, expected = 0, previous = 0, minutes = 0, date = "" } = numbers;
  switch (spec.kind) {
    case "change": {
      const what = `${metricWords[spec.metric]} ${observed < expected ? "fell" : "rose"} on ${date}`;
      const of = spec.event === undefined ? "" : ` of ${visitorText(spec.event)}`;
      return {
        what,
        sentence:
          `${observed} ${metricWords[spec.metric]}${of} on ${date}: the same weekday usually has about ${expected}, ` +
          `and a week before it had ${previous}.`,
      };
    }
    case "silence":
      return {
        what: `no events for ${minutes} minutes`,
        sentence: spec.fixed
          ? `The last event came ${minutes} minutes ago.`
          : `The last event came ${minutes} minutes ago. In these minutes of the last four weeks there were at least ` +
            `${expected} events each time.`,
      };
    case "surge":
      return {
        what: "more visitors than usual",
        sentence: `${observed} visitors in the last 60 minutes: the alert begins at ${expected}.`,
      };
    case "goal":
      return {
        what: "a goal was reached",
        sentence:
          `${visitorText(spec.event)} happened ${observed} times` +
          `${spec.per === "day" ? ` on ${date}` : ""}: the goal is ${spec.count}.`,
      };
  }
}

function eachWords({ event }: EachSpec, { count = 0 }: AlertNumbers): AlertWords {
  const times = count === 1 ? "once" : `${count} times`;
  return { what: "an event happened", sentence: `${visitorText(event)} happened ${times}.` };
}

export const resolvedWords = (): AlertWords => ({
  what: "events arrive again",
  sentence: "Events arrive again.",
});

export const alertSubject = (project: string, { what }: AlertWords): string =>
  `${ownerText(project)}: ${what}`;
