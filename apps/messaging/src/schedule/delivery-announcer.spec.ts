import { Announcer } from '@gangan/leases';
import type { EmitOptions, QueueClient } from '@gangan/queue';
import { currentContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { of, throwError } from 'rxjs';
import type { Backlog } from './backlog.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';

const organisationId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

describe('the delivery announcer', () => {
  const announcing = (waiting: number, isAway = false) => {
    const emitted: { ids: number; first: string | undefined; options: EmitOptions; organisation: unknown }[] =
      [];
    const warnings: string[] = [];
    const queue = {
      emit: (_: object, { ids }: { ids: string[] }, options: EmitOptions) => {
        if (isAway) return throwError(() => new Error('away'));
        emitted.push({
          ids: ids.length,
          first: ids[0],
          options,
          organisation: currentContext()?.organisationId,
        });
        return of(undefined);
      },
    } as unknown as QueueClient;
    const backlog: Pick<Backlog, 'add'> = { add: () => Promise.resolve(waiting) };
    const nothing = (): undefined => undefined;
    const warn = (_: object, message: string): void => void warnings.push(message);
    const logger = { debug: nothing, info: nothing, warn, error: nothing, fatal: nothing };
    return {
      emitted,
      warnings,
      announcer: new DeliveryAnnouncer(new Announcer(queue, logger), backlog as Backlog),
    };
  };
  const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `id-${index}`);

  it('announces chunks of a hundred with falling priority, in the context of their organisation', async () => {
    const { emitted, announcer } = announcing(0);
    await announcer.announce({ organisationId, deliveryIds: ids(250) });
    expect(emitted).toMatchObject([
      { ids: 100, options: { jobId: 'id-0-0', priority: 1 }, organisation: organisationId },
      { ids: 100, options: { jobId: 'id-100-0', priority: 2 } },
      { ids: 50, options: { jobId: 'id-200-0', priority: 3 } },
    ]);
  });

  it('joins the announcements of one organisation in one turn of the event loop', async () => {
    const { emitted, announcer } = announcing(0);
    const other = '019a8f3e-6c1b-7d2a-9f00-000000000000';
    await Promise.all([
      announcer.announce({ organisationId, deliveryIds: ['a'] }),
      announcer.announce({ organisationId: other, deliveryIds: ['b'] }),
      announcer.announce({ organisationId, deliveryIds: ['c'] }),
    ]);
    await announcer.announce({ organisationId, deliveryIds: ['d'] });
    expect(emitted.map(({ ids, first, organisation }) => [ids, first, organisation])).toEqual([
      [2, 'a', organisationId],
      [1, 'b', other],
      [1, 'd', organisationId],
    ]);
  });

  it('gives a large backlog a low priority', async () => {
    const { emitted, announcer } = announcing(12_345);
    await announcer.announce({ organisationId, deliveryIds: ids(1) });
    expect(emitted).toMatchObject([{ options: { priority: 124 } }]);
  });

  it('never fails', async () => {
    const { warnings, announcer } = announcing(0, true);
    await announcer.announce({ organisationId, deliveryIds: ids(1) });
    expect(warnings).toEqual(['could not announce rows; a sweeper will find them']);
  });
});
