import {
  addContactColumn,
  AddContactColumnRequest,
  changeContactColumn,
  ChangeContactColumnFields,
  removeContactColumn,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Param, Patch, Post } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('lists/contact/columns')
@ApiTag('Contacts')
export class ContactColumnsController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('contacts:write')
  @ApiOperation(addContactColumn, {
    summary: 'Add a column',
    description:
      'Returns the table, and the new `column` with its id. Its cells are empty. A table has at most 100 columns.',
  })
  add(@Body() request: AddContactColumnRequest) {
    return this.queue.send(addContactColumn, request);
  }

  @Patch(':column_id')
  @Scope('contacts:write')
  @ApiOperation(changeContactColumn, {
    summary: 'Rename a column',
    description:
      'Changes its name, or the options of a SELECT column. The type of a column cannot be changed.',
  })
  change(@Param('column_id') id: string, @Body() fields: ChangeContactColumnFields) {
    return this.queue.send(changeContactColumn, Object.assign(fields, { id }));
  }

  @Delete(':column_id')
  @Scope('contacts:write')
  @ApiOperation(removeContactColumn, {
    summary: 'Remove a column',
    description:
      'Deletes its cells in all rows permanently. Responds 409 if a smartlist filters by the column, and names the smartlist.',
    errors: [409],
  })
  remove(@Param('column_id') id: string) {
    return this.queue.send(removeContactColumn, { id });
  }
}
