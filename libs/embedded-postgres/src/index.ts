export { clusterVersion } from './data-folder.js';
export { type EmbeddedOptions, type EmbeddedServer, startEmbeddedPostgres } from './embedded-postgres.js';
export { findEmbeddedPostgres } from './find-embedded-postgres.js';
export { freePort, tryPort } from './free-port.js';
export { commandOf, isAlive } from './pid-file.js';
