import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { generateTypes } from './types/generate-types.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the types of the SDK are those of docs/openapi.json (`pnpm openapi` writes them)', async () => {
  expect(await generateTypes(read('../../../docs/openapi.json'))).toBe(read('../src/openapi.ts'));
});
