import { newApiKey } from '@gangan/database';
import { Agent, request as httpRequest, type RequestOptions } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { atRate } from '../load/at-rate.js';
import type { HttpAttack } from './attack-names.js';
import type { Answers, AttackerOrder } from './attacker-order.js';

type Attack = Extract<AttackerOrder, { do: 'attack' }>;

/** The limit of the body of `POST /sms/send`. */
const maxBody = 1024 * 1024;
const depth = 100_000;
/** Not the address of the other organisation. */
const localAddress = '127.0.0.2';
/** Requests in flight of an attack: a client has only so many connections. */
const maxInFlight = 100;
let agent = new Agent({ keepAlive: true, localAddress });
/** A refused upload is tried again after this time on average. */
const retryMs = 10_000;
/** An accepted upload sends a byte in each. */
const byteMs = 1_000;
/** The uploads are those of many clients, which do not connect all at once. */
const uploadsPerSecond = 500;
const maxUploadsPerTick = 10;

// An attacker has machines of its own: its processor time must not be missing from the system.
setPriority(constants.priority.PRIORITY_LOW);

let answers: Record<string, number> = {};
let round = 0;

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (order: AttackerOrder) => {
  round += 1;
  if (order.do === 'attack') {
    answers = {};
    void attacks[order.attack](order, isOverAfter(round));
  } else {
    // Ends what is in flight.
    agent.destroy();
    agent = new Agent({ keepAlive: true, localAddress });
    process.send?.(answers satisfies Answers);
  }
});

const isOverAfter = (own: number) => (): boolean => round !== own;

const count = (answer: string): void => {
  answers[answer] = (answers[answer] ?? 0) + 1;
};

const attacks: Readonly<Record<HttpAttack, (attack: Attack, isOver: () => boolean) => Promise<unknown>>> = {
  spaces: (attack, isOver) => flood(attack, isOver, smsBody(spacesBody())),
  'deep-json': (attack, isOver) => flood(attack, isOver, smsBody('['.repeat(depth) + ']'.repeat(depth))),
  'unknown-keys': (attack, isOver) => flood(attack, isOver, { method: 'GET', path: '/balance' }),
  'slow-uploads': async (attack, isOver) => {
    let open = 0;
    await atRate(
      uploadsPerSecond,
      () => isOver() || open >= attack.amount,
      () => {
        open += 1;
        void upload(attack, isOver);
      },
      maxUploadsPerTick,
    );
  },
};

type Hostile = Pick<RequestOptions, 'method' | 'path'> & { readonly body?: string };

const smsBody = (body: string): Hostile => ({ method: 'POST', path: '/sms/send', body });

function spacesBody(): string {
  const [start, end] = ['{"content":"x","recipients":"1', '1"}'];
  return start + ' '.repeat(maxBody - start.length - end.length) + end;
}

function flood({ attack, port, key, amount }: Attack, isOver: () => boolean, { body, ...target }: Hostile) {
  let inFlight = 0;
  return atRate(amount, isOver, () => {
    if (inFlight >= maxInFlight) return;
    inFlight += 1;
    const authorization = attack === 'unknown-keys' ? newApiKey('live').key : key;
    const headers = {
      authorization,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const sent = httpRequest({ port, host: '127.0.0.1', agent, headers, ...target }, (response) => {
      count(String(response.statusCode));
      response.resume();
    });
    sent.on('error', () => {
      count('none');
    });
    sent.on('close', () => {
      inFlight -= 1;
    });
    sent.end(body);
  });
}

/** One byte per second, and again as soon as it is refused. */
async function upload({ port, key }: Attack, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await new Promise<void>((resolve) => {
      const sent = httpRequest(
        {
          port,
          host: '127.0.0.1',
          localAddress,
          agent: false,
          method: 'POST',
          path: '/lists/contact/imports',
          headers: { authorization: key, 'content-type': 'text/csv', 'transfer-encoding': 'chunked' },
        },
        (response) => {
          count(String(response.statusCode));
          response.resume();
        },
      );
      const drip = setInterval(() => {
        if (isOver()) sent.destroy();
        else sent.write('N');
      }, byteMs);
      sent.on('error', () => undefined);
      sent.on('close', () => {
        clearInterval(drip);
        resolve();
      });
      sent.write('Name\n');
    });
    if (!isOver()) await pause(retryMs * (0.5 + Math.random()));
  }
}
