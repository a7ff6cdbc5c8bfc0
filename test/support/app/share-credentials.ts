import { noonMs, type TestApp } from "./app";
import type { Credential, Row } from "./matrix";

const nobody = { headers: {}, tier: "pro", isAdmin: false, scopes: [] } as const;

/** Makes shares of one project, of all kinds, and one of another project. */
export async function sharesOf(app: TestApp): Promise<readonly Credential[]> {
  const { shares } = app.deps.control;
  const { id: projectId } = await app.makeProject("shared");
  const { id: otherId } = await app.makeProject("shared-too");
  const base = { projectId, name: "S", pages: [], filters: [], frame: [] };
  const plain = { ...base, passwordHash: null, expiresAtMs: null };
  const passwordHash = await Bun.password.hash("open sesame");
  const filters = [{ field: "country", op: "eq", value: "DE" }];
  const all = [
    ...(["events", "sessions", "journeys", "replays"] as const),
    ...(["identity", "user_id", "session_id"] as const),
  ];
  const token = (made: Parameters<typeof shares.add>[0]) => shares.tokenOf(shares.add(made));
  const share = (name: string, of: string, more: Partial<Credential> = {}): Credential => {
    const headers = { authorization: `Bearer ${of}`, ...more.headers };
    return { ...nobody, name, kind: "share", ...more, headers };
  };
  const revoked = shares.add(plain);
  shares.drop(revoked.id);
  const header = { headers: { "x-share-password": "open sesame" } };
  return [
    share("share", token(plain)),
    share("share of another project", token({ ...plain, projectId: otherId })),
    share("share of everything", token({ ...plain, pages: all }), { pages: all }),
    share("filtered share", token({ ...plain, filters, pages: all }), {
      ...{ pages: all, lacks: "filtering" },
    }),
    share("share with its password", token({ ...plain, passwordHash }), header),
    share("share without its password", token({ ...plain, passwordHash }), { lacks: "password" }),
    share("revoked share", shares.tokenOf(revoked), { kind: "wrong" }),
    share("share that is over", token({ ...plain, expiresAtMs: noonMs }), { kind: "wrong" }),
  ];
}

/**
 * The rules of shares a second time: D operations of one project, the page that some of them need, and recordings for
 * who names them.
 */
const shownByShares: Readonly<Record<string, string>> = {
  "GET /stats": "",
  "GET /properties": "",
  "GET /properties/received": "",
  "GET /breakdown": "",
  "GET /bot-traffic": "",
  "GET /history": "",
  "POST /query": "",
  "POST /paths": "",
  "POST /funnel": "",
  "GET /insights": "",
  "GET /changes": "",
  "GET /pages": "",
  "GET /sessions/distribution": "",
  "GET /heatmap": "",
  "GET /retention": "",
  "GET /events": "events",
  "GET /sessions": "sessions",
  "GET /journey": "journeys",
  "GET /live": "events",
  "GET /trust": "identity",
  "GET /replays": "replays",
  "GET /replays/{id}": "replays",
  "GET /replays/{id}/timeline": "replays",
  "POST /replays/{id}/open": "replays",
  "GET /projects/{id}": "",
  "GET /projects/{id}/usage": "",
  "GET /project-context": "",
  "GET /goals": "",
  "GET /experiments": "",
  "GET /experiments/{id}": "",
};
/** They show more than events. */
const withoutFilters = [
  ...["GET /bot-traffic", "GET /history", "GET /journey"],
  ...["GET /live", "GET /trust", "GET /projects/{id}", "GET /projects/{id}/usage", "GET /replays"],
  ...["GET /replays/{id}", "GET /replays/{id}/timeline", "POST /replays/{id}/open"],
];

export function shareRefusal(
  row: Row,
  { pages = [], lacks }: Credential,
  isPage: boolean,
): string | null {
  // Pages that ask who comes, streams that ask whose cookie it is, and operations for anybody know of no share.
  if (isPage || row.name === "GET /stream") return "401 INVALID_TOKEN";
  if (row.access === "optional") return "401 INVALID_TOKEN";
  const page = shownByShares[row.name];
  if (page === undefined || (page !== "" && !pages.includes(page))) return "403 FORBIDDEN";
  if (lacks === "filtering" && withoutFilters.includes(row.name)) return "403 FORBIDDEN";
  return lacks === "password" ? "401 AUTH_REQUIRED" : null;
}
