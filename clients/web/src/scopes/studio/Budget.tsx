import { idOf, read, type Scope } from "@scops/api";
import { useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { PerDayField } from "./PerDayField.tsx";
import { useScopeChange } from "./useScopeChange.ts";

interface BudgetProps {
  scope: Scope;
  mayEdit: boolean;
}

/** Fetches a day that keep the pages of a scope fresh. */
export function Budget({ scope, mayEdit }: BudgetProps) {
  const before = scope.recrawlPerDay ?? 0;
  const [perDay, setPerDay] = useState(before);
  const name = scope.name ?? "";
  const save = useScopeChange<number>(name, (api, recrawlPerDay) => {
    const params = { path: { scope: idOf(name) }, query: { updateMask: "recrawlPerDay" } };
    const body = { recrawlPerDay, ...(scope.etag ? { etag: scope.etag } : {}) };
    return read(api.PATCH("/v1/scopes/{scope}", { params, body }));
  });
  return (
    <form
      className="with-button"
      data-hinted
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(perDay);
      }}
    >
      <div className="field">
        <PerDayField
          label={say.health.budget}
          hint={meaning(perDay)}
          value={perDay}
          readOnly={!mayEdit}
          onChange={setPerDay}
        />
        {save.error ? <ProblemNotice problem={save.error} /> : null}
      </div>
      {mayEdit ? (
        <button type="submit" className="button" disabled={perDay === before || save.isPending}>
          {say.health.setBudget}
        </button>
      ) : null}
    </form>
  );
}

function meaning(perDay: number): string {
  if (perDay === 0) return say.health.shared;
  return perDay < 0 ? say.health.noBudget : say.health.perDay(perDay);
}
