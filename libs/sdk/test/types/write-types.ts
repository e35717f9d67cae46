import { readFileSync, writeFileSync } from 'node:fs';
import { generateTypes } from './generate-types.js';

const document = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');

/** `pnpm openapi` runs this after docs/openapi.json was written. */
writeFileSync(new URL('../../src/openapi.ts', import.meta.url), await generateTypes(document));
