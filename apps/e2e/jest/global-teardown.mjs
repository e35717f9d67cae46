export { stop as default } from './shared-system.mjs';
