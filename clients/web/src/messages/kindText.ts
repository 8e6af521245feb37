import { say } from "./index.ts";

/** Says what kind a change is of, and for which reasons; codes that have no words stand as they are. */
export function kindText(kind: string | undefined, reasons: readonly string[] = []): string {
  const named = kind ? [say.kinds.classes[kind] ?? kind] : [];
  return [...named, ...reasons.map((reason) => say.kinds.reasons[reason] ?? reason)].join(": ");
}
