/** The reason of a call that reached no server. */
export const UNREACHABLE = "SERVER_UNREACHABLE";

/** Why a call brought nothing: a problem document (RFC 9457), or no answer at all. */
export class Problem extends Error {
  readonly reason: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** Facts for programs, such as the code of what is wrong with a rule. */
  readonly metadata: Record<string, string>;

  constructor(
    detail: string,
    reason: string,
    status = 0,
    retryAfterSeconds?: number,
    metadata: Record<string, string> = {},
  ) {
    super(detail);
    this.name = "Problem";
    this.reason = reason;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.metadata = metadata;
  }
}

/** Reads a problem document; what is none becomes a problem that says so. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const said = (typeof error === "object" && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  if (typeof said.detail !== "string" || typeof said.reason !== "string") {
    return new Problem(
      "The server answered with something that is no response.",
      "RESPONSE_UNREADABLE",
    );
  }
  const status = typeof said.status === "number" ? said.status : 0;
  const wait = typeof said.retryAfterSeconds === "number" ? said.retryAfterSeconds : undefined;
  return new Problem(said.detail, said.reason, status, wait, textsOf(said.metadata));
}

/** Returns what of a value is text by a name. */
function textsOf(metadata: unknown): Record<string, string> {
  const named = typeof metadata === "object" && metadata !== null ? Object.entries(metadata) : [];
  return Object.fromEntries(named.filter(([, value]) => typeof value === "string"));
}
