import {
  changeEndpoint,
  ChangeEndpointFields,
  createEndpoint,
  CreateEndpointRequest,
  findEndpoint,
  listEndpoints,
  maxEndpoints,
  recoverEndpoint,
  RecoverFields,
  removeEndpoint,
  rotateEndpointSecret,
  RotateSecretFields,
  testEndpoint,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { HasScope } from '../http/routes/has-scope.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('callback-endpoints')
@ApiTag('Callbacks')
export class EndpointsController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('callbacks:write', { returnsSecret: true })
  @ApiOperation(createEndpoint, {
    summary: 'Create an endpoint',
    description: `An endpoint receives the events of the organisation, beside the \`callback\` URL of a request. The response contains its secret, which is not shown again. An organisation has at most ${maxEndpoints} endpoints.`,
  })
  create(@Body() fields: CreateEndpointRequest, @HasScope('sms:read') readsMessages: boolean) {
    return this.queue.send(createEndpoint, Object.assign(fields, { reads_messages: readsMessages }));
  }

  @Get()
  @Scope('callbacks:read')
  @ApiOperation(listEndpoints, {
    summary: 'List endpoints',
    description: 'Returns all endpoints of the organisation. Secrets are not shown.',
  })
  list() {
    return this.queue.send(listEndpoints, {});
  }

  @Get(':id')
  @Scope('callbacks:read')
  @ApiOperation(findEndpoint, {
    summary: 'Read an endpoint',
    description: 'Returns its URL and the types of its events. Its secret is not shown.',
  })
  find(@Param('id') id: string) {
    return this.queue.send(findEndpoint, { id });
  }

  @Patch(':id')
  @Scope('callbacks:write')
  @ApiOperation(changeEndpoint, {
    summary: 'Change an endpoint',
    description:
      'Absent fields are not changed. A disabled endpoint receives no new events; callbacks that wait for it end as `failed`. A key without the scope `sms:read` gets 403 if it names `message.received`, or changes the URL of an endpoint that receives it.',
  })
  change(
    @Param('id') id: string,
    @Body() fields: ChangeEndpointFields,
    @HasScope('sms:read') readsMessages: boolean,
  ) {
    return this.queue.send(changeEndpoint, Object.assign(fields, { id, reads_messages: readsMessages }));
  }

  @Post(':id/rotate-secret')
  @Scope('callbacks:write', { returnsSecret: true })
  @ApiOperation(rotateEndpointSecret, {
    summary: 'Rotate the secret of an endpoint',
    description:
      'Returns a new secret, which is not shown again. Callbacks are signed with both secrets until the overlap ends; an older secret stops signing now.',
  })
  rotateSecret(@Param('id') id: string, @Body() fields: RotateSecretFields) {
    return this.queue.send(rotateEndpointSecret, Object.assign(fields, { id }));
  }

  @Post(':id/test')
  @Scope('callbacks:write')
  @ApiOperation(testEndpoint, {
    summary: 'Test an endpoint',
    description:
      'Sends an `endpoint.test` event to the endpoint, whatever its `events` are, with retries like any other. The result is shown by `GET /callbacks/{id}` with the id of the response. A disabled endpoint gets 409.',
  })
  test(@Param('id') id: string) {
    return this.queue.send(testEndpoint, { id });
  }

  @Post(':id/recover')
  @Scope('callbacks:write')
  @ApiOperation(recoverEndpoint, {
    summary: 'Send the callbacks of a period again',
    description:
      'Sends all callbacks of the endpoint that were created in the period, including delivered ones, with their ids and bodies; their retries start again. Up to 10,000 per request: continue with `after` while the response has `next`. A disabled endpoint gets 409.',
  })
  recover(@Param('id') id: string, @Body() fields: RecoverFields) {
    return this.queue.send(recoverEndpoint, Object.assign(fields, { id }));
  }

  @Delete(':id')
  @Scope('callbacks:write')
  @ApiOperation(removeEndpoint, {
    summary: 'Delete an endpoint',
    description:
      'Returns the deleted endpoint. Callbacks that wait for it end as `failed`; those that were sent stay in the list.',
  })
  remove(@Param('id') id: string) {
    return this.queue.send(removeEndpoint, { id });
  }
}
