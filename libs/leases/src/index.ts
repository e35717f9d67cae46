export {
  FairSlots,
  type FairSlotsOptions,
  halfOfAvailable,
  type Release,
  SlotTimeoutError,
} from '@gangan/protocol';
export { Announcer } from './announcer.js';
export { KeyedBatcher, type KeyedBatcherOptions } from './keyed-batcher.js';
export { LeaseRenewal } from './lease-renewal.js';
export {
  type ClaimDueOptions,
  dueAfter,
  dueNow,
  type LeaseClaim,
  leaseGraceMs,
  LeaseLostError,
  LeaseTable,
  type LeaseTableOptions,
  leaseUntil,
} from './lease-table.js';
export { type ClaimedJob, type LeasedJob, LeasedJobRunner } from './leased-job-runner.js';
export { type Exponential, PollSchedule, type RetryOptions, RetrySchedule } from './retry-schedule.js';
