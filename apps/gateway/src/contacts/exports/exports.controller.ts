import { Readable } from 'node:stream';
import {
  type ContactExport,
  type ContactExportPage,
  ContactRowsQuery,
  exportContacts,
  findContactExport,
  listContactExports,
  ListContactTransfersRequest,
  readContactExportPart,
  removeContactExport,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Post, Query, Req, StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Scope } from '../../http/access.js';
import { Answers } from '../../openapi/answers.js';
import { DescribedInContacts } from '../chapter.js';
import { ExportFiles } from './export-files.js';

@Controller('lists/contact/exports')
@DescribedInContacts()
export class ExportsController {
  constructor(
    private readonly queue: QueueClient,
    private readonly files: ExportFiles,
  ) {}

  @Post()
  @Scope('contacts:read')
  @Answers(exportContacts, {
    summary: 'Export rows',
    description:
      'Writes the rows that match, all of them without filters, into a CSV file, and answers at once: `GET /lists/contact/exports/{id}` tells how far it is. The file holds the rows that were there at the moment of the request.',
  })
  create(@Body() wish: ContactRowsQuery): Observable<ContactExport> {
    return this.queue.send(exportContacts, wish);
  }

  @Get()
  @Scope('contacts:read')
  @Answers(listContactExports, {
    summary: 'List exports',
    description:
      'Newest first. To read on, ask again with `before` set to `meta.pagination.next`. Exports are forgotten a day after their end, unless the operator says otherwise.',
  })
  list(@Query() request: ListContactTransfersRequest): Observable<ContactExportPage> {
    return this.queue.send(listContactExports, request);
  }

  @Get(':id')
  @Scope('contacts:read')
  @Answers(findContactExport, {
    summary: 'Read an export',
    description: 'Tells how far it is.',
  })
  find(@Param('id') id: string): Observable<ContactExport> {
    return this.queue.send(findContactExport, { id });
  }

  @Delete(':id')
  @Scope('contacts:read')
  @Answers(removeContactExport, {
    summary: 'Delete an export',
    description:
      'With its file, so that it makes room for another; one that is not done is broken off. Answers with what it was.',
  })
  remove(@Param('id') id: string): Observable<ContactExport> {
    return this.queue.send(removeContactExport, { id });
  }

  @Get(':id/file')
  @Scope('contacts:read')
  @Answers(readContactExportPart, {
    summary: 'Fetch the file of an export',
    description:
      'CSV in UTF-8 with the names of the columns in its first line. A text that a spreadsheet would run as a formula has an apostrophe before it, which an import takes off again. While the export is not done there is no file: 409.',
    gives: 'text/csv',
    refuses: [409],
  })
  async file(@Param('id') id: string, @Req() { method }: FastifyRequest): Promise<StreamableFile> {
    const { bytes, stream } = await this.files.open(id);
    return new StreamableFile(method === 'HEAD' ? Readable.from([]) : stream, {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: 'attachment; filename="contacts.csv"',
      length: bytes,
    });
  }
}
