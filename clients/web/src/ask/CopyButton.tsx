import { useState } from "react";
import { say } from "../messages/index.ts";

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button"
      data-kind="quiet"
      data-size="small"
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
    >
      {isCopied ? say.asking.copied : say.asking.copy}
    </button>
  );
}
