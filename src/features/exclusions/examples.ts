import type { Example } from "../../http/operation/operation-doc";

export const exclusionsExample: Example = {
  ...{ input: {}, params: { id: "shop" } },
  answer: {
    ...{ ips: ["192.0.2.7/32"], countries: [], paths: ["/admin/*"], hostnames: [] },
    your_address: "192.0.2.7/32",
    excluded_24h: { ip: 12, country: 0, path: 3, hostname: 0, blocked: 0 },
  },
};
