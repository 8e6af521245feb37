import { counting } from "@scops/ui/counting.ts";

export const { counted, number } = counting("de-DE");
export const pagesOf = (count: number) => counted(count, "Seite", "Seiten");
