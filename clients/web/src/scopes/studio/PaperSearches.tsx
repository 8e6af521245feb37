import { idOf, read, type Scope } from "@scops/api";
import { useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useScopeChange } from "./useScopeChange.ts";

interface PaperSearchesProps {
  scope: Scope;
  mayEdit: boolean;
}

/** As `paper_services` of the API calls them, with the names that people know. */
const SERVICES = {
  openalex: "OpenAlex",
  crossref: "Crossref",
  arxiv: "arXiv",
  unpaywall: "Unpaywall",
  "europe-pmc": "Europe PMC",
  "semantic-scholar": "Semantic Scholar",
  core: "CORE",
};

/** Which scholarly services are told what is asked in a scope, so that they name papers. */
export function PaperSearches({ scope, mayEdit }: PaperSearchesProps) {
  const before = scope.paperServices ?? [];
  const [wanted, setWanted] = useState(before);
  const name = scope.name ?? "";
  const save = useScopeChange<string[]>(name, (api, paperServices) => {
    const query = { updateMask: "paperServices" };
    const body = { paperServices, ...(scope.etag ? { etag: scope.etag } : {}) };
    return read(
      api.PATCH("/v1/scopes/{scope}", { params: { path: { scope: idOf(name) }, query }, body }),
    );
  });
  const isSame = wanted.length === before.length && wanted.every((one) => before.includes(one));
  return (
    <details>
      <summary className="small">{say.paperSearches.title}</summary>
      <form
        className="stack-small"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(wanted);
        }}
      >
        <fieldset className="stack-small" disabled={!mayEdit}>
          <legend className="small">{say.paperSearches.meaning}</legend>
          {Object.entries(SERVICES).map(([service, known]) => (
            <label key={service} className="small">
              <input
                type="checkbox"
                checked={wanted.includes(service)}
                onChange={(event) => setWanted(changed(wanted, service, event.target.checked))}
              />{" "}
              {known}
            </label>
          ))}
        </fieldset>
        {mayEdit ? (
          <button type="submit" className="button" disabled={isSame || save.isPending}>
            {say.paperSearches.set}
          </button>
        ) : null}
        {save.error ? <ProblemNotice problem={save.error} /> : null}
      </form>
    </details>
  );
}

function changed(services: string[], service: string, isWanted: boolean): string[] {
  const others = services.filter((one) => one !== service);
  return isWanted ? [...others, service] : others;
}
