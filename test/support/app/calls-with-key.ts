import type { Json, TestApp, TestProject } from "./app";

/** The calls of whoever has an API key. */
export function callsWithKey(send: TestApp["send"], key: string) {
  const answerOf = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const response = await send(method, path, { key, ...(body === undefined ? {} : { body }) });
    if (response.ok) return (await response.json()) as Json;
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  return {
    key,
    get: (path: string) => answerOf("GET", path),
    post: (path: string, body: unknown) => answerOf("POST", path, body),
    makeProject: async (name: string): Promise<TestProject> => {
      const made = await answerOf("POST", "/projects", { name, domain: `${name}.example.com` });
      return { id: String(made.id), name, token: String(made.project_token) };
    },
    track: async ({ token }: TestProject, ...events: readonly Json[]): Promise<void> => {
      await answerOf("POST", "/track/batch", { token, events });
    },
  };
}
