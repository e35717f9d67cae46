import { GatewayModule } from './gateway.module.js';
import { controllersOf } from './openapi/controllers.js';
import { documentOf } from './openapi/document.js';

/** The description as text, without a gateway that runs. */
export const staticDocument = (publicUrl: string): string =>
  `${JSON.stringify(documentOf(controllersOf(GatewayModule), publicUrl), null, 2)}\n`;
