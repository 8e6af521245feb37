import {
  type Api,
  fetchNow,
  idOf,
  read,
  type Scope,
  type ScopePreview,
  type ScopeRule,
} from "@scops/api";

/** Of a job with addresses, and of pages added at once, as the gateway bounds them. */
export const PAGES_MAX = 100;
const ADDERS = new Set(["SCOPE_ROLE_CONTRIBUTOR", "SCOPE_ROLE_EDITOR", "SCOPE_ROLE_OWNER"]);
const EDITORS = new Set(["SCOPE_ROLE_EDITOR", "SCOPE_ROLE_OWNER"]);

export function mayAdd(scope: Scope): boolean {
  return ADDERS.has(scope.role ?? "");
}

export function mayChangeRules(scope: Scope): boolean {
  return EDITORS.has(scope.role ?? "");
}

/** Says how many known pages a pattern would hold. */
export async function countOf(
  api: Api,
  rule: ScopeRule,
  signal: AbortSignal,
): Promise<ScopePreview> {
  return read(api.POST("/v1/scopes:preview", { body: { rules: [rule] }, signal }));
}

/** Adds pages to a scope by hand, and has them fetched. */
export async function addPages(api: Api, scope: string, uris: string[]): Promise<void> {
  const params = { path: { scope: idOf(scope) } };
  await read(api.POST("/v1/scopes/{scope}:addPages", { params, body: { uris } }));
  await fetchNow(api, scope, uris);
}

/** Adds a pattern to a scope, with a page to begin from, and has it crawled. */
export async function addPattern(
  api: Api,
  scope: Scope,
  rule: ScopeRule,
  seed: string,
): Promise<void> {
  await read(
    api.PATCH("/v1/scopes/{scope}", {
      params: { path: { scope: idOf(scope.name) }, query: { updateMask: "rules,seeds" } },
      body: {
        rules: [...(scope.rules ?? []), rule],
        seeds: [...(scope.seeds ?? []), seed],
        etag: scope.etag ?? "",
      },
    }),
  );
  await fetchNow(api, scope.name ?? "", []);
}

/** Makes a scope that begins with a page. */
export async function newScope(
  api: Api,
  id: string,
  rules: ScopeRule[],
  seed: string,
): Promise<Scope> {
  const query = { scopeId: id, requestId: crypto.randomUUID() };
  const body = { rules, seeds: [seed] };
  const { scope } = await read(api.POST("/v1/scopes", { params: { query }, body }));
  return scope ?? {};
}
