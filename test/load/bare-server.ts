/** The measure for single requests: the least that any server must do, which is to parse the same JSON and answer. */
const answer = JSON.stringify({ ok: true, queued: true });
const headers = { "Content-Type": "application/json; charset=utf-8" };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  async fetch(request) {
    const body: unknown = await request.json();
    return new Response(answer, { status: typeof body === "object" ? 202 : 400, headers });
  },
});
process.on("SIGTERM", () => server.stop(true));
