import type { ApiRequest } from "../../data/request";
import { scope } from "../../state/scope";

export const listRequest = (): ApiRequest => ({
  method: "GET",
  path: "/experiments",
  query: { project: scope.value.project },
});
export const resultRequest = (id: string): ApiRequest => ({
  method: "GET",
  path: `/experiments/${encodeURIComponent(id)}`,
});
