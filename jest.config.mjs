import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;

/** Every project's Jest configuration (the `test` target passes its `rootDir`): TypeScript by swc, native ESM, workspace packages from source. */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@gangan/source', 'node', 'node-addons'] },
  roots: ['<rootDir>'],
  setupFiles: [fileURLToPath(new URL('jest.seed.mjs', import.meta.url))],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*(?<!\\.json))\\.js$': '$1' },
  transform: { '\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  testTimeout: 30_000,
  reporters: ['default', fileURLToPath(new URL('jest.open-handles.mjs', import.meta.url))],
};
