import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { staticDocument } from './static-document.js';

const file = new URL('../../../docs/openapi.json', import.meta.url);

/** `pnpm openapi`: the copy of the description that lies in the repository. */
writeFileSync(file, staticDocument('http://localhost:3000'));
