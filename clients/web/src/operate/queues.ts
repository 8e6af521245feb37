import type { Queue } from "@scops/api";

/** Returns the queues where something waits or is in hand, the longest first. */
export function busy(queues: Queue[]): Queue[] {
  return queues.filter((queue) => owed(queue) > 0).sort((one, other) => owed(other) - owed(one));
}

/** Returns how many messages a consumer has still to acknowledge. */
export function owed(queue: Queue): number {
  return Number(queue.pendingCount ?? 0) + Number(queue.inHandCount ?? 0);
}
