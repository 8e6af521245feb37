/** Returns the id in the name of a resource, such as `scopes/{scope}`. */
export function idOf(name: string | undefined): string {
  return name?.split("/").pop() ?? "";
}
