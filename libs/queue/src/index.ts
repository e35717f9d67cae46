export type { JobView } from './admin/job-view.js';
export { type LaneState, QueueAdmin } from './admin/queue-admin.js';
export { migrateQueue } from './backends/postgres/queue-pool.js';
export { redisUrlFault } from './backends/redis/redis-url.js';
export type { EmitOptions } from './client/add-event.js';
export { QueueClient } from './client/queue-client.js';
export { type Lane, type LaneDepth, type LaneKind, laneOf } from './lane.js';
export type { Limit, LimitDecision } from './limits/bucket-store.js';
export { Limits } from './limits/limits.js';
export type { QueueLogger, QueueObserver } from './observer.js';
export { type QueueRole, Queues } from './queues.js';
export {
  ErrorPassthroughFilter,
  Forwards,
  type Handler,
  Handles,
  QueueContext,
} from './server/handles.decorator.js';
export { QueueServer } from './server/queue-server.js';
export { defaultTuning, type QueueConnection, type QueueSettings, type QueueTuning } from './settings.js';
export { newQueueKey } from '@gangan/sealing';
