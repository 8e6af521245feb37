import { idOf, type Problem, read, type Scope } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useSession } from "../../session/session.tsx";
import { PerDayField } from "./PerDayField.tsx";
import { useScopeChange } from "./useScopeChange.ts";

interface RenderingProps {
  scope: Scope;
  mayEdit: boolean;
}

interface Use {
  renderedPages?: number;
  renderedPerDay?: number;
}

/** How a browser shows the pages of a scope, and how many of today's it has shown. */
export function Rendering({ scope, mayEdit }: RenderingProps) {
  const { api } = useSession();
  const before = { always: scope.renderedAlways ?? false, perDay: scope.renderedPerDay ?? 0 };
  const [wanted, setWanted] = useState(before);
  const name = scope.name ?? "";
  const used = useQuery<Use, Problem>({
    queryKey: ["use", name, scope.etag],
    queryFn: ({ signal }) =>
      read(api.GET("/v1/scopes/{scope}:use", { params: { path: { scope: idOf(name) } }, signal })),
  });
  const save = useScopeChange<typeof before>(name, (api, { always, perDay }) => {
    const query = { updateMask: "renderedAlways,renderedPerDay" };
    const etag = scope.etag ? { etag: scope.etag } : {};
    const body = { renderedAlways: always, renderedPerDay: perDay, ...etag };
    return read(
      api.PATCH("/v1/scopes/{scope}", { params: { path: { scope: idOf(name) }, query }, body }),
    );
  });
  const isSame = wanted.always === before.always && wanted.perDay === before.perDay;
  return (
    <details>
      <summary className="small">{say.rendering.title}</summary>
      <form
        className="stack-small"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(wanted);
        }}
      >
        <label className="small">
          <input
            type="checkbox"
            checked={wanted.always}
            disabled={!mayEdit}
            onChange={(event) => setWanted({ ...wanted, always: event.target.checked })}
          />{" "}
          {say.rendering.always}
        </label>
        <div className="with-button" data-hinted>
          <div className="field">
            <PerDayField
              label={say.rendering.perDay}
              hint={`${meaning(wanted.perDay)} ${used.data ? said(used.data) : ""}`}
              value={wanted.perDay}
              readOnly={!mayEdit}
              onChange={(perDay) => setWanted({ ...wanted, perDay })}
            />
          </div>
          {mayEdit ? (
            <button type="submit" className="button" disabled={isSame || save.isPending}>
              {say.rendering.set}
            </button>
          ) : null}
        </div>
        {save.error ? <ProblemNotice problem={save.error} /> : null}
      </form>
    </details>
  );
}

function meaning(perDay: number): string {
  if (perDay === 0) return say.rendering.ours;
  return perDay < 0 ? say.rendering.never : "";
}

function said({ renderedPages = 0, renderedPerDay = 0 }: Use): string {
  return say.rendering.used(renderedPages, renderedPerDay);
}
