import { register } from 'node:module';

/** `node --import` this file to run TypeScript as it stands in the source, decorators included. */
register('./typescript-hooks.mjs', import.meta.url);
