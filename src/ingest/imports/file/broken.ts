import { ApiError } from "../../../domain/errors";

/** The bytes that all files of an upload may have once they are unpacked. */
export const unpackedBytesMax = 16 * 1024 ** 3;
/** The bytes of one record: a line, a row, or an element of a list. */
export const recordBytesMax = 1024 * 1024;

/** A file that cannot be read to its end, or is of no kind that this server understands. */
export const brokenFile = (message: string, line?: number): ApiError =>
  new ApiError("IMPORT_BROKEN", message, line === undefined ? {} : { line });

export const fileWithoutDates = (message: string): ApiError =>
  new ApiError("IMPORT_NO_DATES", message);

export const fileTooLarge = (): ApiError =>
  new ApiError(
    "PAYLOAD_TOO_LARGE",
    `The file may have at most ${unpackedBytesMax} bytes after it is unpacked. Import it in parts.`,
    { limit_bytes: unpackedBytesMax },
  );
