import { newId } from '@gangan/protocol';
import type { HttpSettings } from '@gangan/providers';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { createProvider } from '../environment/providers.js';
import { benchScript } from '../scripts.js';
import { carrierName, maxMessages } from './protocol.js';

/**
 * Starts the fake carrier in a process of its own, and makes it the provider of all SMS of live organisations. It reports
 * to the gateways in turn. @returns its URL
 */
export async function startCarrier(
  environment: BenchEnvironment,
  gatewayPorts: readonly number[],
): Promise<string> {
  const { port } = await environment.fork(benchScript('carrier/carrier-process'));
  const url = `http://127.0.0.1:${port}/`;
  const { id } = await createProvider(environment, {
    name: carrierName,
    kind: 'http',
    channel: 'sms',
    settings: (path) =>
      settingsOf(url, gatewayPorts.map((gateway) => `http://127.0.0.1:${gateway}${path}`).join(' ')),
  });
  await environment.database.route.create({
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
