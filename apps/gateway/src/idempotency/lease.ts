import { allContracts } from '@gangan/contracts';

/** How long the database may take to give a claim: the time is missing at the end of the lease. */
export const claimPatienceMs = 3_000;
/** What was begun at the last moment of its deadline has time to end, and clocks may differ a little. */
const marginMs = 10_000;

/** Until its deadline it is worth asking every second, as most end soon; after that, once the lease is over. */
export const askAgainAfterMs = (leftMs: number): number => (leftMs > marginMs ? 1_000 : leftMs);

/** For a route that does not say what it asks. */
const longestDeadlineMs = Math.max(
  0,
  ...allContracts.map((contract) => (contract.kind === 'request' ? contract.deadlineMs : 0)),
);

/** Longer than what the route asks may be under way: no worker starts a request whose deadline has passed. */
export const leaseMsOf = (routeConfig: unknown): number =>
  ((routeConfig as { readonly deadlineMs?: number } | undefined)?.deadlineMs ?? longestDeadlineMs) + marginMs;
