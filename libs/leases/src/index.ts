export { FairSlots, halfOfAvailable, type Release, SlotTimeoutError } from '@gangan/protocol';
export * from './announcer.js';
export * from './keyed-batcher.js';
export * from './lease-renewal.js';
export * from './lease-table.js';
export * from './leased-job-runner.js';
export * from './retry-schedule.js';
