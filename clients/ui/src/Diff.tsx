export interface DiffRun {
  kind?: string;
  text?: string;
}

const EQUAL = "KIND_EQUAL";
const GONE = "KIND_DELETE";
const NEW = "KIND_INSERT";

/** What differs, in one text: words that came and went. */
export function InlineDiff({ parts }: { parts: DiffRun[] }) {
  return <>{joined(parts).map(run)}</>;
}

/** One side of what differs. */
export function DiffSide({ parts, side }: { parts: DiffRun[]; side: "from" | "to" }) {
  const left = side === "from" ? NEW : GONE;
  return (
    <>
      {joined(parts)
        .filter((part) => part.kind !== left)
        .map(run)}
    </>
  );
}

// Runs have no name but their place, and are never moved.
function run(part: DiffRun, index: number) {
  const key = `${index}${part.kind}`;
  if (part.kind === GONE) return <del key={key}>{part.text}</del>;
  if (part.kind === NEW) return <ins key={key}>{part.text}</ins>;
  return <span key={key}>{part.text}</span>;
}

/** Joins word edits that only white space separates: people read them as one replacement. */
export function joined(parts: DiffRun[]): DiffRun[] {
  const result: DiffRun[] = [];
  let gone = "";
  let fresh = "";
  const close = () => {
    if (gone) result.push({ kind: GONE, text: gone });
    if (fresh) result.push({ kind: NEW, text: fresh });
    gone = fresh = "";
  };
  for (const [index, part] of parts.entries()) {
    const text = part.text ?? "";
    const next = parts[index + 1];
    if (part.kind === GONE) gone += text;
    else if (part.kind === NEW) fresh += text;
    else if (gone && fresh && next && next.kind !== EQUAL && text.trim() === "") {
      gone += text;
      fresh += text;
    } else {
      close();
      result.push({ kind: EQUAL, text });
    }
  }
  close();
  return result;
}
