import type { Scope } from "@scops/api";
import { Notice, ruleErrorTold, Sentence } from "@scops/ui";
import { say } from "../messages/index.ts";

/** What is wrong with rules of a scope that cannot be read; nothing where all can. */
export function RuleErrors({ scope }: { scope: Scope }) {
  const { ruleErrors = [], ruleFaults = [] } = scope;
  if (ruleErrors.length === 0) return null;
  return (
    <Notice kind="critical">
      {ruleErrors.map((english, place) => (
        <p key={english}>
          <Sentence told={ruleErrorTold(ruleFaults[place] ?? {}, english, say)} />
        </p>
      ))}
    </Notice>
  );
}
