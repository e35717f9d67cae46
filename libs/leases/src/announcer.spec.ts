import { defineEvent } from '@gangan/protocol';
import type { QueueClient } from '@gangan/queue';
import type { AppLogger } from '@gangan/runtime';
import { expect, it, jest } from '@jest/globals';
import { EMPTY, throwError } from 'rxjs';
import { Announcer } from './announcer.js';

class RowDue {
  id: string;
}
const rowDue = defineEvent({ queue: 'rows', name: 'rows.due', event: RowDue });

it('emits an event for each row, and only warns if that fails', async () => {
  const emit = jest.fn((_: unknown, { id }: RowDue) =>
    id === '2' ? throwError(() => new Error('away')) : EMPTY,
  );
  const warn = jest.fn();
  const announcer = new Announcer({ emit } as unknown as QueueClient, { warn } as unknown as AppLogger);
  const rows = [{ id: '1' }, { id: '2' }, { id: '3' }];
  await announcer.announce(rowDue, rows, ({ id }) => ({ jobId: `${id}-0` }));
  expect(emit.mock.calls).toEqual(rows.map((row) => [rowDue, row, { jobId: `${row.id}-0` }]));
  expect(warn.mock.calls).toMatchObject([
    [{ event: 'rows.due', count: 1, err: { message: 'away' } }, expect.any(String)],
  ]);
});
