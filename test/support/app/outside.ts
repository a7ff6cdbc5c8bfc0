import type { MessageNetwork, Network } from "../../../src/services/page-fetch/network";

/** A test's own network in place of the internet. One that sends nothing needs no `post`. */
export type TestNetwork = Network & Partial<MessageNetwork>;

const refused = () => Promise.reject(new Error("There is no internet in this test."));

/** Tests ask nothing of the internet, unless they bring one. */
export const unreachable: TestNetwork = { resolve: async () => [], request: refused };

/** A test may give its network other functions later. */
export const outsideOf = (network: TestNetwork): MessageNetwork => ({
  resolve: (host) => network.resolve(host),
  request: (...asked) => network.request(...asked),
  post: network.post ?? refused,
});
