export { type DataKeyName, dataKeysOf, deriveDataKeys, neededDataKeys } from './data-keys.js';
export { DataSealer, masterSealer, type SealedColumn, type SealedPlace } from './data-sealer.js';
export { InboundSealer } from './inbound-sealer.js';
export { QueueSealer, type QueueSealerUse } from './queue-sealer.js';
export { DerivedKeys, type KeySource, NamedKeys } from './named-keys.js';
export { newSealingKey, splitKeys, UnknownKey } from './sealing-keys.js';
export { backupSealer, SealedStreamError, type StreamSealer } from './stream-sealer.js';
export { TextSealer } from './text-sealer.js';
