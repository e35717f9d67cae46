export * from './callback-quota.js';
export * from './callbacks.js';
