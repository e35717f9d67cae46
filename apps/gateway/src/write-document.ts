import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { GatewayModule } from './gateway.module.js';
import { documentText } from './openapi/document.js';

const file = new URL('../../../docs/openapi.json', import.meta.url);

/** `pnpm openapi`: writes the copy of the OpenAPI document that is part of the repository. */
writeFileSync(file, documentText(GatewayModule, 'http://localhost:3000'));
