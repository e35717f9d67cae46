import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defineEvent } from '@gangan/protocol';
import { laneOf, QueueAdmin, type QueueConnection, Queues } from '@gangan/queue';
import type { TestSystem } from '@gangan/testing';

class Unheard {
  readonly text: string = '';
}

const unheard = defineEvent({ queue: 'airtime', name: 'airtime.unheard', event: Unheard, attempts: 1 });
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sends an event that its worker does not understand; returns when it has been put aside, with what it carries. */
export async function putAside(system: TestSystem, connection: QueueConnection, text: string): Promise<void> {
  const key = (await readFile(join(system.folder, 'queue.key'), 'utf8')).trim();
  const queues = await Queues.open({ connection, keys: [key] }, 'producer', silent);
  const admin = await QueueAdmin.open({ connection }, silent);
  try {
    await new Promise<void>((resolve, reject) => {
      queues.client.emit(unheard, { text }).subscribe({ complete: resolve, error: reject });
    });
    while ((await admin.parked(laneOf(unheard).name, 0, 1)).length === 0) await pause(20);
  } finally {
    await admin.close();
    await queues.close();
  }
}
