import { type Citation, idOf, type Problem, read } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { viewOf } from "./pdf.ts";

const PDF = "application/pdf";

/**
 * The page of a PDF on which a quote stands, of the cited version, in the browser's own viewer.
 *
 * It comes by a call of the API, so that it is read by the reader's rights, and is shown as what
 * the gateway says that it is: nothing but a PDF.
 */
export function PdfPage({ citation }: { citation: Citation }) {
  const { api } = useSession();
  const { page = "", version = "" } = citation;
  const body = useQuery<Blob, Problem>({
    queryKey: ["body", page, version],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: ({ signal }) => {
      const params = { path: { page: idOf(page) }, query: { version } };
      return read(api.GET("/v1/pages/{page}/body", { params, signal, parseAs: "blob" }));
    },
  });
  const isOther = body.data && body.data.type !== PDF;
  const address = useAddress(isOther ? undefined : body.data);
  if (body.error || isOther) return <p className="pdf-none small quiet">{say.further.noPdf}</p>;
  // Its room is kept, so that the quote in the text below stays where it is looked at.
  if (!address) return <div className="pdf-page" />;
  const number = say.further.pageNumber(citation.pageNumber ?? 0);
  // Phones have no viewer for it: there the file is opened by itself.
  if (!navigator.pdfViewerEnabled) {
    return (
      <p className="pdf-none">
        <a className="button" data-size="small" href={address} target="_blank" rel="noreferrer">
          {say.further.openPdf}
        </a>
      </p>
    );
  }
  return (
    <iframe
      key={`${page} ${version} ${citation.number}`}
      className="pdf-page"
      title={`${citation.title ?? ""}, ${number}`}
      src={`${address}${viewOf(citation)}`}
    />
  );
}

/** Returns an address of a file for as long as it is shown. */
function useAddress(file: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!file) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(made);
    };
  }, [file]);
  return address;
}
