export { clusterVersion } from './data-folder.js';
export {
  type EmbeddedOptions,
  type EmbeddedServer,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres.js';
export { freePort, tryPort } from './ports.js';
export { isAlive, runs } from './processes.js';
