import {
  changeSmartlist,
  ChangeSmartlistFields,
  countFilterValues,
  createSmartlist,
  CreateSmartlistRequest,
  findSmartlist,
  listSmartlists,
  removeSmartlist,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { HasPhones } from '../http/request/has-phones.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('lists/contact/smartlists')
@ApiTag('Contacts')
export class SmartlistsController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('contacts:write')
  @HasPhones(countFilterValues)
  @ApiOperation(createSmartlist, {
    summary: 'Save filters as a smartlist',
    description:
      'Refer to it by `smartlist_id` in queries and messages. Its rows are those that match at the time of use, not at the time of creation. A table has at most 500 smartlists.',
  })
  create(@Body() request: CreateSmartlistRequest) {
    return this.queue.send(createSmartlist, request);
  }

  @Get()
  @Scope('contacts:read')
  @ApiOperation(listSmartlists, {
    summary: 'List smartlists',
    description: 'Returns all smartlists. The first contains all contacts; every table has it.',
  })
  list() {
    return this.queue.send(listSmartlists, {});
  }

  @Get(':smartlist_id')
  @Scope('contacts:read')
  @ApiOperation(findSmartlist, { summary: 'Read a smartlist', description: 'Returns its name and filters.' })
  find(@Param('smartlist_id') id: string) {
    return this.queue.send(findSmartlist, { id });
  }

  @Patch(':smartlist_id')
  @Scope('contacts:write')
  @HasPhones(countFilterValues)
  @ApiOperation(changeSmartlist, {
    summary: 'Change a smartlist',
    description: 'Changes its name or filters. The smartlist of all contacts cannot be changed (409).',
  })
  change(@Param('smartlist_id') id: string, @Body() fields: ChangeSmartlistFields) {
    return this.queue.send(changeSmartlist, Object.assign(fields, { id }));
  }

  @Delete(':smartlist_id')
  @Scope('contacts:write')
  @ApiOperation(removeSmartlist, {
    summary: 'Delete a smartlist',
    description:
      'Returns the deleted smartlist. Its rows are kept. The smartlist of all contacts cannot be deleted (409).',
    errors: [409],
  })
  remove(@Param('smartlist_id') id: string) {
    return this.queue.send(removeSmartlist, { id });
  }
}
