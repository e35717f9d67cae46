import {
  ContactRowsQuery,
  countFilterValues,
  CsvFileQuery,
  exportContacts,
  findContactExport,
  listContactExports,
  ListContactTransfersRequest,
  readContactExportPart,
  removeContactExport,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { csvFile } from '../http/files/csv-file.js';
import { HasPhones } from '../http/request/has-phones.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';
import { StorageMonitor } from '../storage/storage-monitor.js';

@Controller('lists/contact/exports')
@ApiTag('Contacts')
export class ExportsController {
  constructor(
    private readonly queue: QueueClient,
    private readonly storage: StorageMonitor,
  ) {}

  @Post()
  @Scope('contacts:read')
  @HasPhones(countFilterValues)
  @ApiOperation(exportContacts, {
    summary: 'Export rows',
    description:
      'Writes the rows that match the filters to a CSV file; without filters, all rows. Responds at once, and `GET /lists/contact/exports/{id}` returns the progress. The file contains the rows that existed at the time of the request.',
  })
  create(@Body() query: ContactRowsQuery) {
    this.storage.requireRoom();
    return this.queue.send(exportContacts, query);
  }

  @Get()
  @Scope('contacts:read')
  @ApiOperation(listContactExports, {
    summary: 'List exports',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next`. By default, exports are deleted a day after they end.',
  })
  list(@Query() request: ListContactTransfersRequest) {
    return this.queue.send(listContactExports, request);
  }

  @Get(':id')
  @Scope('contacts:read')
  @ApiOperation(findContactExport, { summary: 'Read an export', description: 'Returns its progress.' })
  find(@Param('id') id: string) {
    return this.queue.send(findContactExport, { id });
  }

  @Delete(':id')
  @Scope('contacts:read')
  @ApiOperation(removeContactExport, {
    summary: 'Delete an export',
    description:
      'Deletes it with its file, which makes room for another export. An export in progress is cancelled. Returns the deleted export.',
  })
  remove(@Param('id') id: string) {
    return this.queue.send(removeContactExport, { id });
  }

  @Get(':id/file')
  @Scope('contacts:read')
  @ApiOperation(readContactExportPart, {
    summary: 'Download the file of an export',
    description:
      'CSV in UTF-8 with the column names in the first line. Text that a spreadsheet would run as a formula is prefixed with an apostrophe, which an import removes again. Responds 409 until the export is done.',
    responseType: 'text/csv',
    errors: [409],
  })
  file(
    @Param('id') id: string,
    @Query() { bom }: CsvFileQuery,
    @Req() { method }: FastifyRequest,
  ): Promise<StreamableFile> {
    return csvFile(this.queue, readContactExportPart, { id, method, name: 'contacts.csv', bom });
  }
}
