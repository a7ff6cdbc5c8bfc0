import type { Config } from "../../config";
import { Refused } from "./refused";

/** Returns what tokens are for: tools alone, which is also meant when nothing is said, or everything (RFC 8707). */
export function resourceOf(
  { publicUrl }: Pick<Config, "publicUrl">,
  named: readonly string[],
): "mcp" | "all" {
  const meant = new Set(
    named.filter(Boolean).map((one) => {
      if (one === `${publicUrl}/mcp`) return "mcp";
      if (one === publicUrl || one === `${publicUrl}/`) return "all";
      throw unknown(publicUrl);
    }),
  );
  if (meant.size > 1) throw unknown(publicUrl);
  return meant.has("all") ? "all" : "mcp";
}

const unknown = (publicUrl: string): Refused =>
  new Refused("invalid_target", `resource must be ${publicUrl}/mcp or ${publicUrl}.`);
