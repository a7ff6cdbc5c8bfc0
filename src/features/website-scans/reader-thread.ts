import { answerQuestions, type Line, workerLine } from "../../store/protocol/answering";
import { Site } from "./site";
import type { SiteQuestion } from "./site-thread";

/** The thread that reads the pages of one scan. */
export function runSiteReader(line: Line = workerLine): undefined {
  const site = new Site();
  answerQuestions(line, (question: SiteQuestion) => answerOf(site, question));
}

function answerOf(site: Site, question: SiteQuestion): Promise<unknown> {
  switch (question.name) {
    case "page":
      return site.page(...question.input);
    case "robots":
      return site.robots(...question.input);
    case "links":
      return site.links(...question.input);
    case "mayRead":
      return site.mayRead(...question.input);
    case "plans":
      return site.plans(...question.input);
  }
}
