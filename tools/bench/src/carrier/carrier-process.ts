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
} from './carrier-protocol.js';

/** Later than the sender has stored the answer, even on a busy machine. */
const deliveryMs = 500;
/** Reports that are due leave together. */
const reportEveryMs = 100;
const retryMs = 200;

interface Delivery extends Accepted {
  readonly dueAt: number;
}

/** Accepts every message, and reports it as delivered soon after. */
const deliveries = new Map<string, Delivery[]>();
const dispatcher = new Agent({ connections: 4 });
let [accepted, posted] = [0, 0];

const server = createServer((incoming, response) => {
  void json(incoming).then((body) => {
    const messages = (body as CarrierRequest).messages.map(({ reference }) => {
      accepted += 1;
      return { id: `c${accepted}`, reference };
    });
    const answer = JSON.stringify({ messages } satisfies CarrierAnswer);
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    deliver(String(incoming.headers['report-to']), messages);
  });
});

function deliver(reportTo: string, messages: readonly Accepted[]): void {
  const dueAt = performance.now() + deliveryMs;
  const own = deliveries.get(reportTo) ?? [];
  for (const message of messages) own.push({ ...message, dueAt });
  deliveries.set(reportTo, own);
}

function reportDue(): void {
  const now = performance.now();
  for (const [reportTo, own] of deliveries) {
    const later = own.findIndex(({ dueAt }) => dueAt > now);
    const due = own.splice(0, later === -1 ? own.length : later);
    while (due.length > 0) void report(reportTo.split(' '), due.splice(0, maxMessages));
  }
}

/** Until the report is taken. */
async function report(urls: readonly string[], due: readonly Delivery[]): Promise<void> {
  const reports = due.map(({ id, reference }) => ({ id, reference, status: 'DELIVERED' as const }));
  const body = JSON.stringify({ reports } satisfies CarrierReports);
  for (;;) {
    posted += 1;
    const taken = await request(urls[posted % urls.length] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      dispatcher,
    }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode < 300;
      },
      () => false,
    );
    if (taken) return;
    await pause(retryMs);
  }
}

setInterval(reportDue, reportEveryMs);
listen(server);
