export * from './callback-announcer.js';
export * from './callback-quota.js';
export * from './callbacks.js';
export * from './callbacks.module.js';
export * from './callbacks-alongside.js';
export * from './content-callbacks.js';
export * from './endpoints.js';
export * from './otp-callback.js';
