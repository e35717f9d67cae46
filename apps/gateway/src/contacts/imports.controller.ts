import {
  type ContactImport,
  CsvFileQuery,
  findContactImport,
  importContactsPart,
  ImportContactsOptions,
  listContactImports,
  ListContactTransfersRequest,
  readRejectedPart,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { csvFile } from '../http/files/csv-file.js';
import type { UploadedFile } from '../http/request/uploaded-file.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';
import { ImportUploader } from './import-uploader.js';

@Controller('lists/contact/imports')
@ApiTag('Contacts')
export class ImportsController {
  constructor(
    private readonly queue: QueueClient,
    private readonly uploader: ImportUploader,
  ) {}

  @Post()
  @Scope('contacts:write', { takes: 'csv' })
  @ApiOperation(importContactsPart, {
    summary: 'Import rows',
    description:
      'Accepts a CSV file in UTF-8 whose first line contains the names or ids of columns. Responds when the file has arrived; the rows are written afterwards, and `GET /lists/contact/imports/{id}` returns the progress. Invalid lines are reported and do not prevent the import of others. An empty cell clears the cell of an updated row; leave a column out of the file to keep its cells.',
    requestType: 'text/csv',
  })
  async import(
    @Query() options: ImportContactsOptions,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactImport> {
    try {
      return await this.uploader.upload(request.body as UploadedFile, options);
    } catch (error) {
      // Otherwise the rest of the file would have to be read before the next request.
      void reply.header('connection', 'close');
      throw error;
    }
  }

  @Get()
  @Scope('contacts:read')
  @ApiOperation(listContactImports, {
    summary: 'List imports',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next`. By default, imports are deleted 30 days after they end.',
  })
  list(@Query() request: ListContactTransfersRequest) {
    return this.queue.send(listContactImports, request);
  }

  @Get(':id')
  @Scope('contacts:read')
  @ApiOperation(findContactImport, {
    summary: 'Read an import',
    description: 'Returns its progress and the errors of its first invalid lines.',
  })
  find(@Param('id') id: string) {
    return this.queue.send(findContactImport, { id });
  }

  @Get(':id/rejected')
  @Scope('contacts:read')
  @ApiOperation(readRejectedPart, {
    summary: 'Download the invalid lines of an import',
    description:
      'CSV in UTF-8 with the columns `line` (its number in the file), `reason` and `text` (the line as it is in the file). Text that a spreadsheet would run as a formula is prefixed with an apostrophe. Responds 409 until the import has ended.',
    responseType: 'text/csv',
    errors: [409],
  })
  rejected(
    @Param('id') id: string,
    @Query() { bom }: CsvFileQuery,
    @Req() { method }: FastifyRequest,
  ): Promise<StreamableFile> {
    return csvFile(this.queue, readRejectedPart, { id, method, name: 'rejected.csv', bom });
  }
}
