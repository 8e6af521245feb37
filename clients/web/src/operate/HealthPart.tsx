import type { Health, Problem } from "@scops/api";
import { count } from "@scops/ui";
import type { UseQueryResult } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { say } from "../messages/index.ts";
import { OperatePart } from "./OperatePart.tsx";

const MS = 1000;

/** Whether each part of the installation answers, and what is wrong with one that does not. */
export function HealthPart({ health }: { health: UseQueryResult<Health, Problem> }) {
  const checks = health.data?.checks ?? [];
  return (
    <OperatePart
      id="health"
      title={say.operate.health}
      problem={health.error}
      onAgain={() => health.refetch()}
    >
      {health.isPending ? <p role="status">{say.loading}</p> : null}
      {checks.length > 0 ? (
        <table className="table" data-dense>
          <thead>
            <tr>
              <th scope="col">{say.operate.part}</th>
              <th scope="col">{say.operate.state}</th>
              <th scope="col" className="number">
                {say.operate.took}
              </th>
              <th scope="col">{say.operate.problem}</th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => {
              const ok = check.ok ?? false;
              const Sign = ok ? CircleCheck : CircleAlert;
              return (
                <tr key={check.name}>
                  <th scope="row">{say.operate.parts[check.name ?? ""] ?? check.name}</th>
                  <td>
                    <span className="found" data-ok={ok}>
                      <Sign className="icon icon-small" aria-hidden="true" />
                      {ok ? say.operate.works : say.operate.fails}
                    </span>
                  </td>
                  <td className="number" data-label={say.operate.took}>
                    {check.seconds ? `${count(Math.ceil(check.seconds * MS), say.locale)} ms` : ""}
                  </td>
                  <td>{check.problem}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      ) : null}
    </OperatePart>
  );
}
