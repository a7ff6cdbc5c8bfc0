import { Elysia } from "elysia";
import { daysOf } from "../../domain/period";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation/operation";
import { clock } from "../../lib/clock";
import { heatmapRead } from "./read";
import { HeatmapQuery, HeatmapResponse } from "./schema";

export const heatmapRoutes = (deps: Deps) =>
  new Elysia({ name: "heatmap" }).use(
    projectOperation(deps, "GET /heatmap", {
      doc: {
        id: "getHeatmap",
        summary: "Events by weekday and hour",
        description: "When visitors are active, in UTC, with the busiest cell, day and hour.",
        tag: "Reads",
      },
      takes: HeatmapQuery,
      returns: { 200: HeatmapResponse },
      handle: ({ project, input: { since, until }, read }) => {
        const days = daysOf({ since, until, nowMs: clock.nowMs() });
        return read(heatmapRead, { projectId: project.id, days }, days);
      },
    }),
  );
