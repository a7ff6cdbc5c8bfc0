/*
 * A report of a period is queued once.
 * Decision: the period that was sent is a row with a key of its own, written in the commit that queues the messages.
 * Because: neither a restart, a kill nor a clock that is set back may repeat a letter, or lose one.
 * Cost: a report whose commit fails is counted again a minute later.
 */

import { isoDate } from "../../domain/event";
import type { Letter } from "../../domain/mail/message";
import { todayIn } from "../../domain/period";
import { duePeriods, periodsBefore, type ReportPeriods } from "../../domain/reports/periods";
import { zoneOfRead } from "../../domain/time-zone-name";
import { clock } from "../../lib/clock";
import { describeFault } from "../../lib/fault";
import { log } from "../../lib/log";
import type { Control } from "../../store/control/control";
import type { ReportRow } from "../../store/control/report-tables";
import type { ProjectRow } from "../../store/control/tables";
import type { EventStore } from "../../store/port";
import type { Mail } from "../mail/mail";
import { recipientsOf } from "../subscriptions";
import type { Webhooks } from "../webhooks/webhooks";
import { reportData } from "./data";
import { reportLetter, reportSubject } from "./letter";

interface Parts {
  readonly control: Control;
  readonly store: EventStore;
  readonly mail: Mail;
  readonly webhooks: Webhooks;
}
type Content = Awaited<ReturnType<typeof reportData>>;

export class Reports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends whatever is due. */
  async run(nowMs: number): Promise<void> {
    const { control } = this.#parts;
    for (const { report, project } of control.reports.all()) {
      const periods = duePeriods(timingOf(project, report), report.createdAtMs, nowMs);
      if (periods === null || control.tierOf(project.accountId) !== "pro") continue;
      if (control.reports.wasSent(report.id, isoDate(periods.current.from))) continue;
      try {
        await this.#sendOne(project, report, periods);
      } catch (error) {
        log("error", "a report could not be made", { report: report.id, ...describeFault(error) });
      }
    }
  }

  /** Returns the report about the last period that ended before a date, as a letter and as data. Sends nothing. */
  async preview(project: ProjectRow, report: ReportRow, nowMs: number) {
    const content = await this.#contentOf(project, report, lastPeriods(project, report, nowMs));
    const { subject, text, html } = this.#letterOf(project, report, content);
    return { subject, text, html, data: content.data };
  }

  /** Queues the last report to one person, in one commit with what `also` notes or refuses. */
  async send(
    project: ProjectRow,
    report: ReportRow,
    email: string,
    also: () => void,
  ): Promise<void> {
    const { control, mail } = this.#parts;
    const periods = lastPeriods(project, report, clock.nowMs());
    const content = await this.#contentOf(project, report, periods);
    control.write(() => {
      also();
      mail.queue("report", email, () => this.#letterOf(project, report, content));
    });
  }

  async #sendOne(project: ProjectRow, report: ReportRow, periods: ReportPeriods): Promise<void> {
    const { control } = this.#parts;
    const content = await this.#contentOf(project, report, periods);
    const { from, to } = periods.current;
    control.write(() => {
      // Somebody may have changed, stopped or deleted it meanwhile.
      const now = control.reports.byId(report.id);
      if (now === undefined || !Bun.deepEquals(now, report)) return;
      if (control.reports.wasSent(report.id, isoDate(from))) return;
      const sentAtMs = clock.nowMs();
      const messages = this.#queue(project, report, content);
      const dates = { fromDate: isoDate(from), toDate: isoDate(to) };
      control.reports.noteSent({ reportId: report.id, ...dates, sentAtMs, messages });
      if (content.data.stopped === true) {
        control.reports.change(report.id, { stoppedAtMs: sentAtMs });
      }
    });
  }

  /** Queues one message to each recipient. Returns their ids. */
  #queue(project: ProjectRow, report: ReportRow, content: Content): readonly string[] {
    const { control, mail, webhooks } = this.#parts;
    const { data } = content;
    const { id, every } = report;
    const about = { id: project.id, name: project.name };
    const queued = recipientsOf(control, project, id).map((to) => {
      if (to.kind === "mail") {
        const { unsubscribePath } = to;
        const letter = this.#letterOf(project, report, content, unsubscribePath);
        return mail.queue("report", to.email, () => letter);
      }
      const lines = [reportSubject(project.name, data), data.sentences.slice(0, 2).join(" ")];
      const sent = { report: { id, every }, project: about, data };
      return webhooks.queueTo(to.id, "report.ready", sent, { lines, path: pathOf(project, data) });
    });
    return queued.filter((message) => message !== null);
  }

  #letterOf(
    { name: project }: ProjectRow,
    { every }: ReportRow,
    { data, facts }: Content,
    unsubscribePath?: string,
  ): Letter {
    const { sender } = this.#parts.mail;
    const about = { project, every, data, facts };
    return reportLetter(sender, {
      ...about,
      ...(unsubscribePath !== undefined && { unsubscribePath }),
    });
  }

  #contentOf(project: ProjectRow, report: ReportRow, periods: ReportPeriods): Promise<Content> {
    const { from, to } = periods.current;
    const path = pathOf(project, { period: { from: isoDate(from), to: isoDate(to) } });
    return reportData(this.#parts, project, report, periods, this.#parts.mail.sender.url + path);
  }
}

export const timingOf = (project: ProjectRow, { every, hour }: ReportRow) => ({
  ...{ every, hour, zone: zoneOfRead(null, project) },
});

const lastPeriods = (project: ProjectRow, { every }: ReportRow, nowMs: number): ReportPeriods =>
  periodsBefore(every, todayIn(zoneOfRead(null, project), nowMs));

/** The overview of the period. */
const pathOf = (
  { name }: ProjectRow,
  { period }: { readonly period: { readonly from: string; readonly to: string } },
): string => `/app/p/${encodeURIComponent(name)}?period=${period.from}..${period.to}`;
