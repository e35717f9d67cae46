import { Readable } from 'node:stream';
import { type ContactExportPart, readContactExportPart } from '@gangan/contracts';
import { currentContext, newContext, type RequestContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

const partsAhead = 4;

interface ExportFile {
  readonly bytes: number;
  readonly stream: Readable;
}

/** Streams export files from the worker, part by part, as fast as the client reads. */
@Injectable()
export class ExportFileReader {
  constructor(private readonly queue: QueueClient) {}

  /** An error in a later part ends the stream early. @throws AppError 404, or 409 while the export is not done */
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
    const ahead: Promise<ContactExportPart>[] = [];
    for (let number = 1; number < first.parts || ahead.length > 0;) {
      for (; ahead.length < partsAhead && number < first.parts; number += 1) {
        const part = this.read(id, number, context);
        // Prevents an unhandled rejection: it is not awaited if an earlier part fails.
        part.catch(() => undefined);
        ahead.push(part);
      }
      const next = await ahead.shift();
      if (next) yield next.text;
    }
  }

  private read(id: string, number: number, context: RequestContext): Promise<ContactExportPart> {
    return firstValueFrom(this.queue.send(readContactExportPart, { id, number }, context));
  }
}
