import { Readable } from 'node:stream';
import type { CsvFileQuery, FilePart, FilePartId } from '@gangan/contracts';
import { currentContext, type Dto, newContext, type RequestContract } from '@gangan/protocol';
import type { QueueClient } from '@gangan/queue';
import { StreamableFile } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

const partsAhead = 4;

type ReadPart = (number: number) => Promise<FilePart>;

export interface CsvFileOptions {
  /** The id of the job that the file belongs to. */
  readonly id: string;
  /** HEAD gets no content. */
  readonly method: string;
  /** The suggested name of the file. */
  readonly name: string;
  /** Whether it starts with a byte order mark. */
  readonly bom?: CsvFileQuery['bom'];
}

const byteOrderMark = '\uFEFF';

/**
 * Streams a file from its worker, part by part, as fast as the client reads. An error in a later part ends the stream
 * early.
 * @param contract reads one part
 * @throws AppError 404, or 409 while the file is not complete
 */
export async function csvFile(
  queue: QueueClient,
  contract: RequestContract<FilePartId, Dto<FilePart>>,
  { id, method, name, bom }: CsvFileOptions,
): Promise<StreamableFile> {
  const context = currentContext() ?? newContext();
  const read: ReadPart = (number) => firstValueFrom(queue.send(contract, { id, number }, context));
  const mark = bom === 'true' ? byteOrderMark : '';
  const first = await read(0);
  const stream = Readable.from(method === 'HEAD' ? [] : textsOf(mark, first, read), { objectMode: false });
  return new StreamableFile(stream, {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: `attachment; filename="${name}"`,
    length: Buffer.byteLength(mark) + first.bytes,
  });
}

async function* textsOf(mark: string, first: FilePart, read: ReadPart): AsyncGenerator<string> {
  yield mark + first.text;
  const ahead: Promise<FilePart>[] = [];
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
