import { type Member, type Problem, read } from "@scops/api";
import { Confirm } from "@scops/ui";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { OperatePart } from "./OperatePart.tsx";

const SHOWN = 100;
const KEY = ["members"];
const ROLES = ["INSTALLATION_ROLE_OPERATOR", "INSTALLATION_ROLE_ADMINISTRATOR"] as const;
type Role = (typeof ROLES)[number];

interface Change {
  subject: string;
  role?: Role;
  group?: string;
  remove: boolean;
}

/** Who has a role in the installation or is in a group kept here; an administrator changes it. */
export function People() {
  const { api } = useSession();
  const queries = useQueryClient();
  const [subject, setSubject] = useState("");
  const [role, setRole] = useState<Role>(ROLES[0]);
  const id = useId();
  const members = useQuery<Member[], Problem>({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const params = { query: { pageSize: SHOWN } };
      return (await read(api.GET("/v1/members", { params, signal }))).members ?? [];
    },
  });
  const change = useMutation<unknown, Problem, Change>({
    mutationFn: ({ subject: named, role: given, group, remove }) =>
      group
        ? read(api.POST("/v1/members:setGroup", { body: { group, subject: named, remove } }))
        : read(
            api.POST("/v1/members:setRole", {
              body: { subject: named, role: given ?? ROLES[0], remove },
            }),
          ),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <OperatePart
      id="people"
      title={say.operate.people}
      problem={change.error ?? members.error}
      onAgain={() => {
        change.reset();
        members.refetch();
      }}
    >
      <form
        className="short-form"
        onSubmit={(event) => {
          event.preventDefault();
          const named = { subject: subject.trim(), role, remove: false };
          change.mutate(named, { onSuccess: () => setSubject("") });
        }}
      >
        <div className="field">
          <label htmlFor={id}>{say.operate.subject}</label>
          <input
            id={id}
            className="input"
            data-voice="address"
            placeholder="user:ann@example.org"
            value={subject}
            onChange={(event) => setSubject(event.target.value)}
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-role`}>{say.operate.role}</label>
          <select
            id={`${id}-role`}
            className="input"
            value={role}
            onChange={(event) => setRole(event.target.value as Role)}
          >
            {ROLES.map((one) => (
              <option key={one} value={one}>
                {say.operate.roles[one]}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" className="button" disabled={!subject.trim() || change.isPending}>
          {say.operate.give}
        </button>
      </form>
      {members.data?.length === 0 ? <p className="quiet">{say.operate.noMembers}</p> : null}
      {members.data?.length ? (
        <table className="table" data-dense>
          <thead>
            <tr>
              <th scope="col">{say.operate.subject}</th>
              <th scope="col">{say.operate.has}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {members.data.map((member) => (
              <tr key={`${member.subject}${member.role}${member.group}`}>
                <th scope="row" className="address">
                  {member.subject}
                </th>
                <td>
                  {member.group
                    ? say.operate.inGroup(member.group)
                    : say.operate.roles[member.role ?? ""]}
                </td>
                <td>
                  <Confirm
                    label={say.operate.takeBack}
                    about={say.operate.takeBackFrom(member.subject ?? "")}
                    question={say.operate.takeBackQuestion}
                    keep={say.operate.keep}
                    disabled={change.isPending}
                    onConfirm={() => change.mutate(withdrawn(member))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </OperatePart>
  );
}

function withdrawn({ subject = "", role, group }: Member): Change {
  const of = group ? { group } : { role: role as Role };
  return { subject, ...of, remove: true };
}
