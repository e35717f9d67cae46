import { allContracts } from '@gangan/contracts';

/** How long the database may take to give a claim: the time is missing at the end of the lease. */
export const claimPatienceMs = 3_000;
/** What was begun at the last moment of its deadline has time to end, and clocks may differ a little. */
const marginMs = 10_000;

/** Longer than any request may be under way: no worker starts one whose deadline has passed. */
export const leaseMs =
  Math.max(0, ...allContracts.map((contract) => (contract.kind === 'request' ? contract.deadlineMs : 0))) +
  marginMs;
