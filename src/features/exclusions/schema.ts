import Type from "typebox";
import {
  excludedHostCharsMax,
  excludedNetworkCharsMax,
  excludedPathCharsMax,
  exclusionRulesMax,
} from "../../domain/exclusions/rules";
import { Count } from "../../domain/fields";
import { ofOwner, orNull, schema } from "../../lib/schema";

/** Lists of texts. After it has found the project, the operation refuses a malformed rule and names its place. */
const rulesOf = (maxLength: number, description: string) =>
  Type.Array(Type.String({ ...ofOwner, minLength: 1, maxLength }), {
    maxItems: exclusionRulesMax,
    description,
  });

const rules = {
  ips: rulesOf(
    excludedNetworkCharsMax,
    "Addresses and networks in CIDR notation, such as `192.0.2.0/24`: IPv4 up to /8 wide, IPv6 up to /19.",
  ),
  countries: rulesOf(2, "Countries by their two letters, such as `DE`."),
  paths: rulesOf(
    excludedPathCharsMax,
    "Paths of pages: exact, or with `*` for any characters, such as `/admin/*`. Case counts.",
  ),
  hostnames: rulesOf(
    excludedHostCharsMax,
    "Host names of pages: exact, or with `*`, such as `*.staging.example.com`.",
  ),
};

export const ExclusionsChange = schema(
  Type.Object(
    {
      ips: Type.Optional(rules.ips),
      countries: Type.Optional(rules.countries),
      paths: Type.Optional(rules.paths),
      hostnames: Type.Optional(rules.hostnames),
    },
    { $id: "ExclusionsChange", examples: [{ ips: ["192.0.2.7/32"], paths: ["/admin/*"] }] },
  ),
);

export const Exclusions = schema(
  Type.Object(
    {
      ...rules,
      your_address: orNull(
        Type.String({
          ...ofOwner,
          maxLength: excludedNetworkCharsMax,
          description:
            "The network of this request, in the form of `ips`: an IPv4 address, or the /64 of an IPv6 address.",
        }),
      ),
      excluded_24h: Type.Object(
        { ip: Count, country: Count, path: Count, hostname: Count, blocked: Count },
        {
          description:
            "Excluded events of the present hour and the 23 before, by reason; counted since the start of the " +
            "server. `blocked`: events of erased people.",
        },
      ),
    },
    { $id: "Exclusions" },
  ),
);
