import type { ScopeRevision } from "@scops/api";
import { say } from "../../messages/index.ts";

const FIRST = "1";

/** Returns why a scope was changed: what the server wrote in the reader's language, else as it is. */
export function reasonTold({ scope, reason = "" }: ScopeRevision, said = say.studio): string {
  if (reason === "created" && scope?.revision === FIRST) return said.created;
  const [, earlier] = /^back to revision (\d+)$/.exec(reason) ?? [];
  return earlier ? said.wentBackTo(earlier) : reason;
}
