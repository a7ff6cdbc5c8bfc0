import { TwoGenerationCache } from "./two-generation-cache";

/** The facts that a User-Agent tells of a machine, under the names that the tracker uses. */
export interface AgentFacts {
  readonly browser: string;
  /** The major version; null where none is named. */
  readonly browser_version: string | null;
  readonly os: string;
  readonly device: "desktop" | "mobile" | "tablet";
}

/** Longer agents are read again each time, so that remembered ones stay small. */
const rememberedAgentCharsMax = 512;
const rememberedAgentsMax = 4_096;

const remembered = new TwoGenerationCache<string, AgentFacts>(rememberedAgentsMax / 2);

/** Reads an agent by the rules of the tracker (tracker/environment.ts), which has client hints and a screen besides. */
export function agentFactsOf(agent: string): AgentFacts {
  return agent.length <= rememberedAgentCharsMax ? remembered.get(agent, read) : read(agent);
}

/** In this order: every Edge says Chrome too, and every Chrome says Safari. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /Edg\D{0,16}(\d+)/],
  ["Opera", /(?:OPR|Opera)\D{0,16}(\d+)/],
  ["Chrome", /(?:Chrom|CriOS)\D{0,16}(\d+)/],
  ["Safari", /Version\D{0,16}(\d+)/],
  ["Firefox", /(?:Firefox|FxiOS)\D{0,16}(\d+)/],
];

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["iOS", /iOS|iP(?:hone|ad|od)/],
  ["Windows", /Windows/],
  ["Android", /Android/],
  ["ChromeOS", /CrOS|Chrom\w{1,8} OS/],
  ["macOS", /[mM]ac/],
  ["Linux", /Linux/],
];

const unknown = "Unknown";
const versionDigitsMax = 6;

function read(agent: string): AgentFacts {
  const [browser, version] = browserIn(agent);
  const [os] = systems.find(([, pattern]) => pattern.test(agent)) ?? [unknown];
  return { browser, browser_version: version, os, device: deviceOf(agent) };
}

function browserIn(agent: string): readonly [name: string, version: string | null] {
  for (const [name, pattern] of browsers) {
    const [, version] = pattern.exec(agent) ?? [];
    if (version !== undefined) return [name, version.slice(0, versionDigitsMax)];
  }
  return [unknown, null];
}

function deviceOf(agent: string): AgentFacts["device"] {
  if (/Tablet|iPad/.test(agent)) return "tablet";
  return agent.includes("Mobi") ? "mobile" : "desktop";
}
