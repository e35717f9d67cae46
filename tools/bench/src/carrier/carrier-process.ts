import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { listen } from '../processes/script.js';
import {
  type Accepted,
  type CarrierAnswer,
  type CarrierReports,
  type CarrierRequest,
  maxMessages,
} from './protocol.js';

/** Later than the sender has stored the answer, even on a busy machine. */
const deliveryMs = 500;
/** Messages that were accepted in this time are reported together. */
const collectMs = 100;
const retryMs = 200;

const dispatcher = new Agent({ connections: 4 });
const headers = { 'content-type': 'application/json' };
/** By `report-to`. */
const unreported = new Map<string, Accepted[]>();
let [accepted, posted] = [0, 0];

/** Accepts every message, and reports it as delivered soon after. */
const server = createServer((incoming, response) => {
  void json(incoming).then((body) => {
    const messages = (body as CarrierRequest).messages.map(({ reference }) => {
      accepted += 1;
      return { id: `c${accepted}`, reference };
    });
    response.writeHead(200, headers).end(JSON.stringify({ messages } satisfies CarrierAnswer));
    const reportTo = String(incoming.headers['report-to']);
    const earlier = unreported.get(reportTo);
    if (earlier) earlier.push(...messages);
    else unreported.set(reportTo, messages);
  });
});

setInterval(() => {
  for (const [reportTo, messages] of unreported) void reportLater(reportTo.split(' '), messages);
  unreported.clear();
}, collectMs);

async function reportLater(urls: readonly string[], messages: Accepted[]): Promise<void> {
  await pause(deliveryMs);
  while (messages.length > 0) void report(urls, messages.splice(0, maxMessages));
}

/** Until the report is taken. */
async function report(urls: readonly string[], messages: readonly Accepted[]): Promise<void> {
  const reports = messages.map((message) => ({ ...message, status: 'DELIVERED' as const }));
  const body = JSON.stringify({ reports } satisfies CarrierReports);
  for (let isTaken = false; !isTaken;) {
    posted += 1;
    const response = await request(urls[posted % urls.length] ?? '', {
      method: 'POST',
      headers,
      body,
      dispatcher,
    }).catch(() => undefined);
    await response?.body.dump();
    isTaken = (response?.statusCode ?? 500) < 300;
    if (!isTaken) await pause(retryMs);
  }
}

listen(server);
