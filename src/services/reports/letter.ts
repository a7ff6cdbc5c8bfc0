import { countryName, type SentenceFacts, sentencesOf } from "../../domain/changes/sentences";
import {
  type Block,
  letterOf,
  link,
  ownerText,
  paragraph,
  visitorText,
} from "../../domain/mail/letter";
import type { Letter } from "../../domain/mail/message";
import { idlePeriodsMax } from "../../domain/reports/periods";
import { minuteMs, secondMs } from "../../lib/clock";
import type { Sender } from "../mail/templates";
import type { ReportData } from "./data";

interface ReportAbout {
  readonly project: string;
  readonly every: string;
  readonly data: ReportData;
  readonly facts: SentenceFacts;
  /** The path that ends the messages; absent where nobody subscribed. */
  readonly unsubscribePath?: string;
}

export const reportSubject = (project: string, { period }: Pick<ReportData, "period">): string =>
  `${ownerText(project)}: ${period.from} to ${period.to}`;

/** The letter of a report: what changed in sentences, then the tables. */
export function reportLetter(sender: Sender, about: ReportAbout): Letter {
  const { project, every, data, facts, unsubscribePath } = about;
  const unsubscribeUrl = unsubscribePath === undefined ? null : sender.url + unsubscribePath;
  const sentences = sentencesOf(facts, visitorText).map(({ text }) => paragraph(text));
  const stopped =
    data.stopped === true
      ? [
          paragraph(
            `Nothing happened for ${idlePeriodsMax} ${every}s, so this was the last of these reports. Change the ` +
              "report to start it again.",
          ),
        ]
      : [];
  const letter = letterOf(
    reportSubject(project, data),
    [
      { kind: "heading", text: "What changed" },
      ...sentences,
      ...stopped,
      ...tablesOf(data, every),
      ...notesOf(data),
      link("Open the dashboard", data.url),
    ],
    [
      paragraph(`Sightline on ${new URL(sender.url).host} sent this message automatically.`),
      ...(unsubscribeUrl === null ? [] : [link("End these messages", unsubscribeUrl)]),
    ],
  );
  return unsubscribeUrl === null ? letter : { ...letter, unsubscribeUrl };
}

type Compared = ReportData["numbers"]["visitors"];
type Write = (number: number) => string;

function tablesOf(data: ReportData, every: string): readonly Block[] {
  const { numbers, goals } = data;
  const head = ["", `This ${every}`, "Before", "Change"];
  const named: readonly (readonly [string, Compared, Write])[] = [
    ["Visitors", numbers.visitors, whole],
    ["Sessions", numbers.sessions, whole],
    ["Page views", numbers.page_views, whole],
    ["Events", numbers.events, whole],
    ["Bounce rate", numbers.bounce_rate, share],
    ["Average duration", numbers.avg_duration, duration],
  ];
  const reached = goals.flatMap((goal) => [
    rowOf(visitorText(goal.event), goal, whole),
    rowOf(`${visitorText(goal.event)}, of all sessions`, goal.conversion_rate, share),
  ]);
  return [
    ...table(
      "Numbers",
      head,
      named.map(([name, pair, write]) => rowOf(name, pair, write)),
    ),
    ...table("Goals", head, reached),
    ...listOf("Pages", "Visitors", data.pages),
    ...listOf("Sources", "Visitors", data.sources),
    ...listOf("Countries", "Visitors", data.countries, countryName),
    ...listOf("Events", "Events", data.events),
  ];
}

function rowOf(name: string, { current, previous, change_pct }: Compared, write: Write) {
  const few = Math.min(current, previous) < percentFrom && write === whole;
  const change = change_pct === null || few ? "" : percentText(change_pct);
  return [name, write(current), write(previous), change];
}

const listOf = (
  title: string,
  unit: string,
  rows: ReportData["pages"],
  shown = (text: string) => text,
): readonly Block[] =>
  table(
    title,
    [title, unit, "Before"],
    rows.map(({ value, count, previous }) => [
      visitorText(shown(value ?? "")),
      whole(count),
      whole(previous),
    ]),
  );

const table = (
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly Block[] =>
  rows.length === 0
    ? []
    : [
        { kind: "heading", text: title },
        { kind: "table", head, rows },
      ];

function notesOf({ annotations, alerts }: ReportData): readonly Block[] {
  const items = [
    ...annotations.map(
      ({ occurred_at, title }) => `${occurred_at.slice(0, 10)}: ${ownerText(title)}`,
    ),
    ...alerts.map(({ name, from }) => `${from.slice(0, 10)}: the alert "${ownerText(name)}" fired`),
  ];
  return items.length === 0
    ? []
    : [
        { kind: "heading", text: "Notes and alerts" },
        { kind: "items", items },
      ];
}

const percentText = (percent: number): string =>
  `${percent < 0 ? "−" : percent > 0 ? "+" : ""}${Math.abs(percent)} %`;

/** Percentages of smaller numbers say nothing. */
const percentFrom = 10;
const numbers = new Intl.NumberFormat("en");
const whole: Write = (number) => numbers.format(number);
const share: Write = (number) => `${(100 * number).toFixed(1)} %`;
function duration(ms: number): string {
  const minutes = Math.floor(ms / minuteMs);
  const seconds = Math.round((ms % minuteMs) / secondMs);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds} s`;
}
