import { type Api, type Chat, idOf, type Problem, read } from "@scops/api";
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useSession } from "../session/session.tsx";

const LISTED = 30;

/** Returns the caller's chats, those asked last first, whose title or question holds some words. */
export function useChats(text: string) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: ["chats", text],
    initialPageParam: "",
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) => {
      const query = {
        pageSize: LISTED,
        ...(text ? { text } : {}),
        ...(pageParam ? { pageToken: pageParam } : {}),
      };
      return read(api.GET("/v1/chats", { params: { query }, signal }));
    },
    getNextPageParam: (last) => last.nextPageToken || undefined,
  });
}

/** Returns a chat of the caller's, or one of somebody else by its link. */
export function useChat(name: string | undefined, share: string) {
  const { api } = useSession();
  return useQuery<Chat | null, Problem>({
    queryKey: ["chat", name],
    enabled: name !== undefined,
    queryFn: async ({ signal }) => {
      const params = { path: { chat: idOf(name) }, query: share ? { share } : {} };
      return (await read(api.GET("/v1/chats/{chat}", { params, signal }))).chat ?? null;
    },
  });
}

export type ChatChange = { title: string } | "delete" | "share" | "stop";

/** Changes a chat; of a new link it returns what the link has. */
export function useChatChange(name: string) {
  const { api } = useSession();
  const queries = useQueryClient();
  return useMutation<string, Problem, ChatChange>({
    mutationFn: (change) => carriedOut(api, idOf(name), change),
    onSuccess: async (_, change) => {
      if (change === "delete") {
        queries.removeQueries({ queryKey: ["turns", name] });
        queries.removeQueries({ queryKey: ["chat", name] });
      } else await queries.invalidateQueries({ queryKey: ["chat", name] });
      await queries.invalidateQueries({ queryKey: ["chats"] });
    },
  });
}

async function carriedOut(api: Api, chat: string, change: ChatChange): Promise<string> {
  const params = { path: { chat } };
  if (change === "delete") {
    await read(api.DELETE("/v1/chats/{chat}", { params }));
    return "";
  }
  if (change === "share" || change === "stop") {
    const body = { stop: change === "stop" };
    return (await read(api.POST("/v1/chats/{chat}:share", { params, body }))).share ?? "";
  }
  await read(api.POST("/v1/chats/{chat}:rename", { params, body: change }));
  return "";
}
