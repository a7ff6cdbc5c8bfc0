import { requestAt } from "../../../src/services/page-fetch/network";

/** Started with the certificate among those it trusts: asks a server of ours under each of the names given. */
const [port = "", ...names] = process.argv.slice(2);
for (const name of names) {
  const url = new URL(`https://${name}/`);
  const answer = await requestAt(url, { address: "127.0.0.1", port }, AbortSignal.timeout(5_000))
    .then((response) => response.text())
    .catch((error) => String(error.code));
  process.stdout.write(`${name}: ${answer}\n`);
}
