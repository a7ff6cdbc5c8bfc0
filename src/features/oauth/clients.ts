import { ApiError } from "../../domain/errors";
import type { Deps } from "../../http/deps";
import { clientById } from "../../store/control/oauth-clients";
import type { Client } from "./client";
import { ClientDocuments } from "./client-documents";

/** Programs by their ids: those that have registered, and those that show a document. */
export class Clients {
  readonly #documents: ClientDocuments;

  constructor(private readonly deps: Pick<Deps, "config" | "control" | "network">) {
    this.#documents = new ClientDocuments(deps);
  }

  /** Throws MISSING_FIELDS when there is none. */
  async byId(id: string): Promise<Client> {
    if (isDocumentId(id)) {
      if (this.deps.config.oauthClientDocuments) return this.#documents.clientAt(id);
      throw unknown(
        "This server does not fetch client documents. The program has to register instead.",
      );
    }
    const found = clientById(this.deps.control, id);
    if (found !== null) return { ...found, documentOrigin: null };
    throw unknown(
      "This program's registration has expired. Start the sign-in again in the program.",
    );
  }

  /** Tells whether tokens may be asked for under an id. For a document's id it must have been approved before. */
  isKnown(id: string): boolean {
    return isDocumentId(id) || clientById(this.deps.control, id) !== null;
  }
}

const isDocumentId = (id: string): boolean => id.startsWith("https://");

const unknown = (message: string): ApiError =>
  new ApiError("MISSING_FIELDS", message, { field: "client_id" });
