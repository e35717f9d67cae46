import { newId } from '@gangan/protocol';
import { type HttpSettings, inboundPath, newInboundToken, sealTokens } from '@gangan/providers';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { benchScript } from '../scripts.js';
import { carrierName, maxMessages } from './carrier-protocol.js';

/**
 * Starts the fake carrier in a process of its own, and stores it as the provider of all SMS of live organisations, as
 * `pnpm admin` does. It reports to the gateways in turn. @returns its URL
 */
export async function startCarrier(
  environment: BenchEnvironment,
  gatewayPorts: readonly number[],
): Promise<string> {
  const { port = 0 } = await environment.fork(benchScript('carrier/carrier-process'));
  const url = `http://127.0.0.1:${port}/`;
  const [id, token] = [newId(), newInboundToken()];
  const reportTo = gatewayPorts.map(
    (gateway) => `http://127.0.0.1:${gateway}${inboundPath(carrierName, token)}`,
  );
  const { database, sealer } = environment;
  await database.provider.create({
    data: {
      id,
      name: carrierName,
      kind: 'http',
      domains: ['message'],
      channels: ['sms'],
      settings: { ...settingsOf(url, reportTo.join(' ')) },
      sealedToken: Uint8Array.from(sealTokens(sealer, { id, organisationId: null }, { token })),
    },
  });
  await database.route.create({
    data: { id: newId(), channel: 'sms', targets: { create: { providerId: id, position: 0 } } },
  });
  return url;
}

const settingsOf = (url: string, reportTo: string) =>
  ({
    request: {
      url,
      headers: { 'report-to': reportTo },
      json: { messages: [{ to: '{recipient}', from: '{sender}', text: '{text}', reference: '{reference}' }] },
      batch: { size: maxMessages, items: '/messages' },
    },
    answer: { items: '/messages', ownReference: '/reference', reference: '/id' },
    reports: {
      list: '/reports',
      reference: '/id',
      status: '/status',
      states: [{ status: ['DELIVERED'], state: 'delivered' }],
    },
    allowPrivate: true,
  }) satisfies HttpSettings;
