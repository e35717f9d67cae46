import type { RequestSettings } from '../http/request/request-settings.js';
import type { ReloadlySettings } from './adapter-settings.js';

const defaultUrl = 'https://topups.reloadly.com';
const defaultTokenUrl = 'https://auth.reloadly.com/oauth/token';

export const reloadlyUrl = ({ url = defaultUrl }: ReloadlySettings): string => url;

/** How access tokens are got, and what every request has. */
export function reloadlyAccess(settings: ReloadlySettings): RequestSettings {
  const url = reloadlyUrl(settings);
  const credentials = { client_id: '{secret.client_id}', client_secret: '{secret.client_secret}' };
  const json = { ...credentials, grant_type: 'client_credentials', audience: url };
  const headers = { Accept: 'application/com.reloadly.topups-v1+json' };
  return { url, headers, oauth2: { url: settings.tokenUrl ?? defaultTokenUrl, json } };
}
