import { type DeadLetter, idOf, type Problem, read } from "@scops/api";
import { Confirm, Time } from "@scops/ui";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { OperatePart } from "./OperatePart.tsx";

const PAGE_SIZE = 25;
const LOOKS_AGAIN_MS = 10_000;
const KEY = ["dead-letters"];

interface Mending {
  name: string;
  deed: "replay" | "drop";
}

/** Messages that were given up, oldest first; operators replay or drop them. */
export function DeadLetters({ mayMend }: { mayMend: boolean }) {
  const { api } = useSession();
  const queries = useQueryClient();
  const letters = useInfiniteQuery({
    queryKey: KEY,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = { pageSize: PAGE_SIZE, ...(pageParam ? { pageToken: pageParam } : {}) };
      return read(api.GET("/v1/deadLetters", { params: { query }, signal }));
    },
    getNextPageParam: (last) => last.nextPageToken || undefined,
    refetchInterval: LOOKS_AGAIN_MS,
  });
  const mend = useMutation<unknown, Problem, Mending>({
    mutationFn: ({ name, deed }) => {
      const params = { path: { deadLetter: idOf(name) } };
      return deed === "replay"
        ? read(api.POST("/v1/deadLetters/{deadLetter}:replay", { params, body: {} }))
        : read(api.DELETE("/v1/deadLetters/{deadLetter}", { params }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const shown = letters.data?.pages.flatMap((page) => page.deadLetters ?? []) ?? [];
  return (
    <OperatePart
      id="letters"
      title={say.operate.letters}
      problem={(letters.error as Problem | null) ?? mend.error}
      onAgain={() => {
        mend.reset();
        letters.refetch();
      }}
    >
      <p role="status" className="small">
        {mend.isSuccess ? say.operate.done[mend.variables.deed] : ""}
      </p>
      {letters.data && shown.length === 0 ? <p className="quiet">{say.operate.noLetters}</p> : null}
      {shown.length > 0 ? (
        <table className="table" data-dense>
          <thead>
            <tr>
              <th scope="col">{say.operate.reason}</th>
              <th scope="col">{say.operate.consumer}</th>
              <th scope="col">{say.operate.about}</th>
              <th scope="col">{say.operate.age}</th>
              {mayMend ? <td /> : null}
            </tr>
          </thead>
          <tbody>
            {shown.map((letter) => (
              <Letter
                key={`${letter.name}${letter.replayTime}`}
                letter={letter}
                mayMend={mayMend}
                isBusy={mend.isPending}
                onMend={mend.mutate}
              />
            ))}
          </tbody>
        </table>
      ) : null}
      {letters.hasNextPage ? (
        <div className="actions">
          <button type="button" className="button" onClick={() => letters.fetchNextPage()}>
            {say.more}
          </button>
        </div>
      ) : null}
    </OperatePart>
  );
}

interface LetterProps {
  letter: DeadLetter;
  mayMend: boolean;
  isBusy: boolean;
  onMend: (mending: Mending) => void;
}

function Letter({ letter, mayMend, isBusy, onMend }: LetterProps) {
  const about = letter.about || idOf(letter.name);
  const name = letter.name ?? "";
  return (
    <tr>
      <th scope="row">
        <span className="address">{letter.reason}</span>
        <p className="small quiet">{letter.fault || letter.detail}</p>
      </th>
      <td className="address">{letter.consumer}</td>
      <td className="address" data-label={say.operate.about}>
        {about}
      </td>
      <td>
        <Time at={letter.deadTime ?? ""} />
        {letter.replayTime ? (
          <p className="small quiet">
            {say.operate.replayed} <Time at={letter.replayTime} />
          </p>
        ) : null}
      </td>
      {mayMend ? (
        <td>
          <span className="actions">
            {letter.fault ? null : (
              <Confirm
                label={say.operate.replay}
                about={say.operate.replayOne(about)}
                question={say.operate.replayQuestion}
                keep={say.operate.keep}
                disabled={isBusy}
                onConfirm={() => onMend({ name, deed: "replay" })}
              />
            )}
            <Confirm
              label={say.operate.drop}
              about={say.operate.dropOne(about)}
              question={say.operate.dropQuestion}
              keep={say.operate.keep}
              disabled={isBusy}
              onConfirm={() => onMend({ name, deed: "drop" })}
            />
          </span>
        </td>
      ) : null}
    </tr>
  );
}
