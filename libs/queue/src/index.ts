export { type JobView, type LaneState, QueueAdmin } from './admin/queue-admin.js';
export { queueGrants } from './backends/postgres/queue-grants.js';
export { migrateQueue } from './backends/postgres/queue-pool.js';
export { redisUrlFault } from './backends/redis/redis-url.js';
export { type EmitOptions, QueueClient } from './client/queue-client.js';
export { compareKeys, deriveQueueKeys, neededKeys, storageKeyOf } from './keys/needed-keys.js';
export { AppKeys, keysOf, type LaneSender, MasterKeys, type QueueKeys } from './keys/queue-keys.js';
export { type Lane, type LaneDepth, type LaneKind, laneOf } from './lane.js';
export type { Limit, LimitDecision } from './limits/bucket-store.js';
export { Limits } from './limits/limits.js';
export { TokenBucket } from './limits/local-bucket.js';
export type { QueueLogger, QueueObserver } from './observer.js';
export { Queues } from './queues.js';
export {
  type BatchMember,
  ErrorPassthroughFilter,
  type Handler,
  Handles,
  HandlesBatch,
  type TakenMembers,
} from './server/handles.decorator.js';
export { QueueServer } from './server/queue-server.js';
export {
  defaultTuning,
  type QueueConnection,
  type QueueRole,
  type QueueSettings,
  type QueueTuning,
} from './settings.js';
export { newSealingKey as newQueueKey } from '@gangan/sealing';
