import { idOf, type Problem, type Research, read } from "@scops/api";
import { Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { fetchedOf, hasEnded } from "./looks.ts";

const LISTED = 20;
const LOOKS_AGAIN_MS = 3000;

/** The caller's newest runs; nothing where there are none, or where a key keeps none. */
export function ResearchList() {
  const { api } = useSession();
  const runs = useQuery<Research[], Problem>({
    queryKey: ["researches"],
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { query: { pageSize: LISTED } };
      return (await read(api.GET("/v1/researches", { params, signal }))).researches ?? [];
    },
    refetchInterval: ({ state }) => (state.data?.every(hasEnded) ? false : LOOKS_AGAIN_MS),
  });
  if (!runs.data?.length) return null;
  return (
    <section className="stack-small" aria-labelledby="researches">
      <h2 id="researches">{say.research.list}</h2>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{say.first.question}</th>
            <th scope="col">{say.job.scope}</th>
            <th scope="col">{say.job.state}</th>
            <th scope="col">{say.job.pages}</th>
            <th scope="col">{say.job.when}</th>
          </tr>
        </thead>
        <tbody>
          {runs.data.map((run) => (
            <tr key={run.name}>
              <th scope="row" dir="auto">
                <Link href={`/${run.name}`}>{run.question}</Link>
              </th>
              <td className="scope-name">@{idOf(run.scope)}</td>
              <td>{say.research.states[run.state ?? ""]}</td>
              <td>{say.job.pagesOf(fetchedOf(run))}</td>
              <td>
                <Time at={run.createTime ?? ""} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
