/** Every error code with its HTTP status: docs/api/errors.md. `http/edge/errors.ts` alone makes responses of them. */
export const errorStatus = {
  INVALID_BODY: 400,
  MISSING_FIELDS: 400,
  PROJECT_REQUIRED: 400,
  BATCH_TOO_LARGE: 400,
  MIXED_TOKENS: 400,
  PROPERTIES_TOO_LARGE: 400,
  INVALID_TIMESTAMP: 400,
  INVALID_METRIC: 400,
  INVALID_GROUP_BY: 400,
  INVALID_COUNT_MODE: 400,
  INVALID_FILTER_OP: 400,
  INVALID_FILTER_FIELD: 400,
  INVALID_PROPERTY_KEY: 400,
  INVALID_FUNNEL_STEPS: 400,
  INVALID_VARIANTS: 400,
  INVALID_EXPERIMENT_STATUS: 400,
  INVALID_STATE: 400,
  INVALID_SCOPE: 400,
  INVALID_URL: 400,
  UNSAFE_URL: 400,
  INVALID_SOURCE_SCAN: 400,
  INVALID_SIGNATURE: 400,
  IMPORT_NO_DATES: 400,
  IMPORT_BROKEN: 400,
  QUERY_FAILED: 400,
  AUTH_REQUIRED: 401,
  INVALID_TOKEN: 401,
  INVALID_CREDENTIALS: 401,
  SECOND_FACTOR_REQUIRED: 401,
  INVALID_CODE: 401,
  INVALID_POLL_TOKEN: 401,
  INVALID_EXCHANGE_CODE: 401,
  INVALID_CODE_VERIFIER: 401,
  INVALID_REFRESH_TOKEN: 401,
  FORBIDDEN: 403,
  PRO_REQUIRED: 403,
  DEMO_READ_ONLY: 403,
  ORIGIN_NOT_ALLOWED: 403,
  CSRF_FAILED: 403,
  REGISTRATION_CLOSED: 403,
  CONFIRM_REQUIRED: 403,
  TWO_FACTOR_REQUIRED: 403,
  PASSWORD_LOGIN_OFF: 403,
  REPLAY_DISABLED: 403,
  NOT_FOUND: 404,
  EXPERIMENT_NOT_FOUND: 404,
  GOAL_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DUPLICATE_NAME: 409,
  DUPLICATE_ORIGIN: 409,
  SOURCE_TAKEN: 409,
  IMPORT_EXISTS: 409,
  IMPORT_STATE: 409,
  CONTEXT_CHANGED: 409,
  EXPERIMENT_NAME_EXISTS: 409,
  GOAL_NAME_TAKEN: 409,
  PORTFOLIO_SLUG_EXISTS: 409,
  PROJECT_IN_OTHER_PORTFOLIO: 409,
  AUTH_REQUEST_ALREADY_EXCHANGED: 409,
  ACCOUNT_EXISTS: 409,
  SETUP_DONE: 409,
  API_KEY_EXISTS: 409,
  DRILL_RUNNING: 409,
  ERASURE_CHANGED: 409,
  REPLAY_CLOSED: 409,
  REPLAY_NOT_PLAYABLE: 409,
  ALREADY_MEMBER: 409,
  LAST_OWNER: 409,
  INVITATION_OVER: 410,
  RESET_OVER: 410,
  AUTH_REQUEST_EXPIRED: 410,
  AUTH_REQUEST_REVOKED: 410,
  VIEWER_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  STREAM_LIMIT: 429,
  EXPORT_BUSY: 429,
  IMPORT_BUSY: 429,
  SCAN_BUSY: 429,
  SCAN_QUOTA_REACHED: 429,
  REPLAY_QUOTA: 429,
  INTERNAL_ERROR: 500,
  NOT_ON_THIS_STORE: 501,
  SCAN_FAILED: 502,
  MAIL_FAILED: 502,
  UNAVAILABLE: 503,
  BILLING_NOT_CONFIGURED: 503,
  MAIL_NOT_CONFIGURED: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Members that some codes add to `error` and `message`. */
export interface ErrorExtras {
  readonly field?: string;
  readonly index?: number;
  /** The line of a file. */
  readonly line?: number;
  /** The id of an import, its state, and how many bytes of its file came. */
  readonly import?: string;
  readonly state?: string;
  readonly received?: number;
  readonly allowed?: readonly string[] | string;
  readonly reason?: string;
  readonly required_scope?: string;
  /** The role that is missing in the account, or `people`. */
  readonly required?: string;
  readonly upgrade_url?: string;
  readonly limit_bytes?: number;
  readonly retry_after_seconds?: number;
  readonly status?: string;
  /** The step at which the mail server refused, and its own line. */
  readonly stage?: string;
  readonly response?: string;
  /** The password was right: what the second step of a log-in needs. */
  readonly login_token?: string;
  readonly methods?: readonly string[];
  readonly exchange_code?: string | null;
  readonly account_id?: string | null;
  readonly approved_email?: string | null;
  readonly projects?: readonly string[];
  /** The names of the project's goals. */
  readonly goals?: readonly string[];
  readonly analysis_id?: string;
  readonly suggested_field?: string | null;
  /** An item of `filters` to send instead. */
  readonly suggested_item?: Readonly<Record<string, string>>;
  readonly available_properties?: {
    readonly events: readonly { readonly event: string }[];
    readonly property_keys: readonly string[];
  };
}

/** The caller's mistake, or a state the caller must know of. The message tells what to do next. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: ErrorExtras = {},
  ) {
    super(message);
    this.name = "ApiError";
  }
  get status(): number {
    return errorStatus[this.code];
  }
}

/** The general refusal of a field that is absent, empty, or breaks its rule. */
export const invalidField = (
  field: string,
  message: string,
  allowed?: readonly string[],
): ApiError =>
  new ApiError("MISSING_FIELDS", message, { field, ...(allowed === undefined ? {} : { allowed }) });
