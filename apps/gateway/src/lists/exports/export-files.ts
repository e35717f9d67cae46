import { Readable } from 'node:stream';
import { type ContactExportPart, readContactExportPart } from '@gangan/contracts';
import { currentContext, newContext, type RequestContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

export interface ExportFile {
  readonly bytes: number;
  readonly stream: Readable;
}

/** Fetches files from the worker, a part at a time, as fast as they are taken. */
@Injectable()
export class ExportFiles {
  constructor(private readonly queue: QueueClient) {}

  /** @throws AppError 404, or 409 while it is not done; whoever has begun to read is cut off instead */
  async open(id: string): Promise<ExportFile> {
    const context = currentContext() ?? newContext();
    const first = await this.read(id, 0, context);
    return {
      bytes: first.bytes,
      stream: Readable.from(this.texts(id, first, context), { objectMode: false }),
    };
  }

  private async *texts(
    id: string,
    first: ContactExportPart,
    context: RequestContext,
  ): AsyncGenerator<string> {
    yield first.text;
    for (let number = 1; number < first.parts; number += 1) yield (await this.read(id, number, context)).text;
  }

  private read(id: string, number: number, context: RequestContext): Promise<ContactExportPart> {
    return firstValueFrom(this.queue.send(readContactExportPart, { id, number }, context));
  }
}
