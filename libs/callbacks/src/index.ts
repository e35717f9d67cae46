export { CallbackAnnouncer } from './callback-announcer.js';
export { type Report, recordCallbacks } from './record-callbacks.js';
