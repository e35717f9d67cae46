export { clusterVersion } from './data-folder.js';
export * from './embedded-postgres.js';
export { lastLogLines, rotateLog } from './logs.js';
export { assertListenable, freePort, tryPort } from './ports.js';
export { isAlive, runs } from './processes.js';
export { serverUser } from './programs.js';
