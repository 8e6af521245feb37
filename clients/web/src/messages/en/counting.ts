import { counting } from "@scops/ui/counting.ts";

export const { counted, number } = counting("en-GB");
export const pagesOf = (count: number) => counted(count, "page", "pages");
