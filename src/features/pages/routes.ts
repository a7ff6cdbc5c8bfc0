import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { severalTables, tableOf } from "../../http/operation/csv-form";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { pagesExample } from "./examples";
import { pagesRead } from "./read";
import { PageRow, PagesQuery, PagesResponse, pagesLimitDefault } from "./schema";

export const sessionPagesFeature = (): Feature => ({
  operations: [
    projectOperation("GET /pages", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "listPages",
        summary: "Where sessions begin and end",
        description:
          "Sessions of the window by their entry page, their exit page, or both, with bounces and durations. " +
          "The page of an event is its property path, else url.",
        tag: "Reads",
        example: pagesExample,
        errors: filterErrors,
      },
      takes: PagesQuery,
      returns: { 200: PagesResponse },
      table: {
        refuse: ({ type }) => {
          if (type === "both") throw severalTables("type", "ask for entry, then for exit");
        },
        of: ({ entry_pages, exit_pages }) => tableOf(PageRow, entry_pages ?? exit_pages ?? []),
      },
      handle: async ({ project, input, read, withAvailable }) => {
        const { since, until, type = "entry", limit = pagesLimitDefault } = input;
        const days = daysOf({
          since,
          until,
          nowMs: clock.nowMs(),
          zone: zoneOfRead(input.tz, project),
        });
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days);
        return read(pagesRead, { projectId: project.id, days, type, limit, filters }, days);
      },
    }),
  ],
});
