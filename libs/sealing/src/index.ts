export { DataSealer, type SealedColumn, type SealedPlace } from './data-sealer.js';
export { InboundSealer } from './inbound-sealer.js';
export { QueueSealer, type QueueSealerUse } from './queue-sealer.js';
export { deriveLaneKey } from './lane-key.js';
export { newSealingKey } from './sealing-keys.js';
export { TextSealer } from './text-sealer.js';
