export { QueueSealer } from './queue-sealer.js';
export { newQueueKey } from './sealing-keys.js';
export { TextSealer } from './text-sealer.js';
