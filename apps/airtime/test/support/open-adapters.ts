import { type HttpClients, HttpExchange, reloadlyAccess, type VtpassSettings } from '@gangan/providers';
import {
  FakeAirtime,
  fakeAfricasTalkingAirtime,
  fakeReloadly,
  fakeVtpass,
  reloadlyOperators,
  vtpassVariations,
} from '@gangan/testing';
import { AfricasTalking } from '../../src/providers/africastalking.js';
import { Reloadly } from '../../src/providers/reloadly.js';
import { Vtpass } from '../../src/providers/vtpass.js';

export const vtpassSecrets = {
  api_key: 'a-fake-api-key',
  public_key: 'PK_a-fake-public-key',
  secret_key: 'SK_a-fake-secret-key',
};
export const reloadlySecrets = { client_id: 'a-fake-client-id', client_secret: 'a-fake-client-secret' };

/** Calls take as long as their signal allows. */
const patient = { timeoutMs: 60_000, allowPrivate: true };
const maxTimeoutMs = 60_000;

export const startVtpass = (
  balance?: number,
  variations = vtpassVariations(),
  commission?: number,
): Promise<FakeAirtime> =>
  FakeAirtime.start(
    fakeVtpass({
      apiKey: vtpassSecrets.api_key,
      publicKey: vtpassSecrets.public_key,
      secretKey: vtpassSecrets.secret_key,
      variations,
      ...(balance !== undefined && { balance }),
      ...(commission !== undefined && { commission }),
    }),
  );

export const startReloadly = (operators = reloadlyOperators()): Promise<FakeAirtime> =>
  FakeAirtime.start(
    fakeReloadly(reloadlySecrets.client_id, reloadlySecrets.client_secret, undefined, operators),
  );

export function openVtpass(
  url: string,
  clients: HttpClients,
  secrets: Record<string, string> = vtpassSecrets,
  commission?: VtpassSettings['commission'],
) {
  const settings = { ...patient, request: { url } };
  const own = { url, ...(commission && { commission }) };
  return new Vtpass('vtpass', own, new HttpExchange({ clients, settings, secrets, maxTimeoutMs }));
}

export function openReloadly(
  url: string,
  clients: HttpClients,
  secrets: Record<string, string> = reloadlySecrets,
) {
  const own = { url, tokenUrl: `${url}/oauth/token` };
  const settings = { ...patient, request: reloadlyAccess(own) };
  return new Reloadly('reloadly', own, new HttpExchange({ clients, settings, secrets, maxTimeoutMs }));
}

export const africasTalkingSecrets = { api_key: 'a-fake-api-key' };

export const startAfricasTalking = (): Promise<FakeAirtime> =>
  FakeAirtime.start(fakeAfricasTalkingAirtime(africasTalkingSecrets.api_key, 'acme'));

export function openAfricasTalking(
  url: string,
  clients: HttpClients,
  secrets: Record<string, string> = africasTalkingSecrets,
) {
  const own = { url, queryUrl: `${url}/query/transaction/find`, username: 'acme' };
  const http = new HttpExchange({
    clients,
    secrets,
    maxTimeoutMs,
    settings: { ...patient, request: { url } },
  });
  return new AfricasTalking('africastalking', own, http);
}
