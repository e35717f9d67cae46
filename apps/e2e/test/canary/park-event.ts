import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineEvent } from '@gangan/protocol';
import { laneOf, MasterKeys, QueueAdmin, type QueueConnection, Queues } from '@gangan/queue';
import { type ReachableSystem, until } from '@gangan/testing';

class Unreadable {
  readonly text: string = '';
}

const unreadable = defineEvent({
  queue: 'airtime',
  name: 'airtime.unreadable',
  event: Unreadable,
  attempts: 1,
  senders: ['airtime'],
});
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sends an event that its worker cannot read; returns when it is parked with its data. */
export async function parkEvent(
  system: ReachableSystem,
  connection: QueueConnection,
  text: string,
): Promise<void> {
  const key = (await readFile(join(system.folder, 'queue-master.key'), 'utf8')).trim();
  const queues = await Queues.open(
    { connection, app: 'airtime', keys: new MasterKeys([key]) },
    'producer',
    silent,
  );
  const admin = await QueueAdmin.open({ connection }, silent);
  try {
    await new Promise<void>((resolve, reject) => {
      queues.client.emit(unreadable, { text }).subscribe({ complete: resolve, error: reject });
    });
    const parked = () => admin.parked(laneOf(unreadable).name, 0, 1);
    await until('the event is parked', async () => (await parked()).length > 0);
  } finally {
    await admin.close();
    await queues.close();
  }
}
