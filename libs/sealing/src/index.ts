export { TextSealer } from './text-sealer.js';
