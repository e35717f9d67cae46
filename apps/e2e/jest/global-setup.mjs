export { start as default } from './shared-system.mjs';
