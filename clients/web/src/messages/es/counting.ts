import { counting } from "@scops/ui/counting.ts";

export const { counted, number } = counting("es-ES");
export const pagesOf = (count: number) => counted(count, "página", "páginas");
