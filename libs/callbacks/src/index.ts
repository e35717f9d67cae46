export * from './callbacks.js';
