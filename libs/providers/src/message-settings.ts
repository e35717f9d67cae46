import type { HttpSettings } from './http/http-settings.js';
import { whatsAppHttp } from './whatsapp/whatsapp-requests.js';
import type { WhatsAppSettings } from './whatsapp/whatsapp-settings.js';

/** The settings of a message provider in terms of the kind `http`, also if they are not valid. */
export const messageSettings = (kind: string, settings: object): Partial<HttpSettings> =>
  kind === 'whatsapp' ? whatsAppHttp(settings as WhatsAppSettings) : settings;
