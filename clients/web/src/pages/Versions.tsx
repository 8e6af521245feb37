import { idOf, type PageVersion, type Problem, read } from "@scops/api";
import { kindText, Time } from "@scops/ui";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";

/** The reason of a version that follows none. */
const FIRST = "first_version";

interface VersionsProps {
  page: string;
  /** Newest first. */
  versions: PageVersion[];
  chosen: string | undefined;
  mayPin: boolean;
  onChoose: (version: string) => void;
}

interface Pinning {
  version: string;
  unpin: boolean;
}

/** The versions of a page: when each was first seen, why it differs, and whether it is pinned. */
export function Versions({ page, versions, chosen, mayPin, onChoose }: VersionsProps) {
  const { api } = useSession();
  const queries = useQueryClient();
  const pin = useMutation<unknown, Problem, Pinning>({
    mutationFn: (body) =>
      read(api.POST("/v1/pages/{page}:pin", { params: { path: { page: idOf(page) } }, body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["versions", page] }),
  });
  return (
    <section className="pane" aria-labelledby="versions-title">
      <div className="pane-head">
        <h2 id="versions-title">{say.page.versions}</h2>
        <span className="small quiet" role="status">
          {pin.isSuccess ? pinned(pin.variables) : ""}
        </span>
      </div>
      {pin.error ? <ProblemNotice problem={pin.error} /> : null}
      <ol className="timeline" reversed>
        {versions.map((one, index) => {
          const name = say.page.number(versions.length - index);
          const version = one.version ?? "";
          return (
            <li key={version}>
              <div className="timeline-head">
                <button
                  type="button"
                  className="button"
                  data-size="small"
                  aria-pressed={version === chosen}
                  onClick={() => onChoose(version)}
                >
                  {name}
                </button>
                <Time at={one.observedFromTime ?? ""} />
                <span className="kind" data-kind={one.changeClass}>
                  {one.changeReasons?.includes(FIRST)
                    ? say.page.first
                    : kindText(one.changeClass, one.changeReasons, say)}
                </span>
                {one.pin ? <span className="small">{say.page.pinned}</span> : null}
                {mayPin && !one.droppedReason ? (
                  <button
                    type="button"
                    className="button"
                    data-size="small"
                    data-kind="quiet"
                    disabled={pin.isPending}
                    aria-label={one.pin ? say.page.unpinOne(name) : say.page.pinOne(name)}
                    onClick={() => pin.mutate({ version, unpin: Boolean(one.pin) })}
                  >
                    {one.pin ? say.page.unpin : say.page.pin}
                  </button>
                ) : null}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function pinned({ unpin }: Pinning): string {
  return unpin ? say.page.unpinnedNow : say.page.pinnedNow;
}
