import type { Deps } from "../../http/deps";
import { loadPages } from "../../http/docs/load";
import { likesTextBetterThanHtml } from "../../http/edge/accept";
import { StaticFile } from "../../http/edge/static-file";
import type { Feature } from "../../http/feature";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import type { Operation } from "../../http/operation/operation";
import { publicOperation } from "../../http/operation/public-operation";
import { page } from "../../http/pages/page";
import { sha256Hex } from "../../lib/ids";
import { Guide } from "./guide";
import { llmsText } from "./llms";
import { SkillIndex } from "./schema";
import { skillDescription, skillName, skillText } from "./skill";

const tag = "Service";
const markdownType = "text/markdown; charset=utf-8";

/** The texts for an agent that knows only the address; `served` are the operations that they name. */
export const agentTextsFeature = (deps: Deps, served: () => readonly Operation[]): Feature => {
  const { publicUrl } = deps.config;
  const guide = () => new Guide(publicUrl, served());
  const llms = markdown(async () => llmsText(guide(), await loadPages()));
  const skill = markdown(async () => skillText(guide()));
  return {
    operations: [
      publicOperation("GET /llms.txt", {
        access: free("none"),
        isLenient: true,
        doc: {
          id: "getLlmsText",
          summary: "Introduction for agents",
          description: "Overview, sign-in, ten calls and errors. `/` returns it as Markdown.",
          tag,
          produces: markdownType,
        },
        takes: nothing,
        returns: {},
        handle: ({ request }) => llms.respond(request),
      }),
      publicOperation("GET /skill.md", {
        access: free("none"),
        isLenient: true,
        doc: {
          id: "getSkill",
          summary: "Agent skill",
          description: "Set-up, reading, experiments and untrusted values, in Markdown.",
          tag,
          produces: markdownType,
        },
        takes: nothing,
        returns: {},
        handle: ({ request }) => skill.respond(request),
      }),
      publicOperation("GET /.well-known/agent-skills/index.json", {
        access: free("none"),
        isLenient: true,
        doc: {
          id: "listSkills",
          summary: "List agent skills",
          description: "Agent Skills Discovery 0.2.0: `/skill.md` and its SHA-256.",
          tag,
        },
        takes: nothing,
        returns: { 200: SkillIndex },
        handle: () => ({
          $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
          skills: [
            {
              name: skillName,
              type: "skill-md",
              description: skillDescription,
              url: `${publicUrl}/skill.md`,
              digest: `sha256:${sha256Hex(skillText(guide()))}`,
            },
          ],
        }),
      }),
    ],
    pages: [
      page("/", async ({ request }) => {
        const answer = likesTextBetterThanHtml(request.headers)
          ? await llms.respond(request)
          : new Response(null, { status: 302, headers: { location: "/app" } });
        answer.headers.append("vary", "accept");
        return answer;
      }),
    ],
  };
};

const markdown = (make: () => Promise<string>): StaticFile =>
  new StaticFile(make, { "content-type": markdownType, "cache-control": "no-cache" });
