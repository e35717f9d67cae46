export { DataSealer, type SealedColumn, type SealedPlace } from './data-sealer.js';
export { InboundSealer } from './inbound-sealer.js';
export { QueueSealer } from './queue-sealer.js';
export { newSealingKey } from './sealing-keys.js';
export { TextSealer } from './text-sealer.js';
