import { Readable } from 'node:stream';
import { type ContactExportPart, readContactExportPart } from '@gangan/contracts';
import { currentContext, newContext } from '@gangan/protocol';
import type { QueueClient } from '@gangan/queue';
import { firstValueFrom } from 'rxjs';

const partsAhead = 4;

type ReadPart = (number: number) => Promise<ContactExportPart>;

/**
 * Streams an export file from the worker, part by part, as fast as the client reads. An error in a later part ends the
 * stream early.
 * @throws AppError 404, or 409 while the export is not done
 */
export async function openExportFile(queue: QueueClient, id: string) {
  const context = currentContext() ?? newContext();
  const read: ReadPart = (number) =>
    firstValueFrom(queue.send(readContactExportPart, { id, number }, context));
  const first = await read(0);
  return { bytes: first.bytes, stream: Readable.from(textsOf(first, read), { objectMode: false }) };
}

async function* textsOf(first: ContactExportPart, read: ReadPart): AsyncGenerator<string> {
  yield first.text;
  const ahead: Promise<ContactExportPart>[] = [];
  for (let number = 1; number < first.parts || ahead.length > 0;) {
    for (; ahead.length < partsAhead && number < first.parts; number += 1) {
      const part = read(number);
      // Prevents an unhandled rejection: it is not awaited if an earlier part fails.
      part.catch(() => undefined);
      ahead.push(part);
    }
    const next = await ahead.shift();
    if (next) yield next.text;
  }
}
