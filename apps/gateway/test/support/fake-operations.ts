import { currentContext } from '@gangan/protocol';
import { Body, Controller, Module, Param, Patch, Post, type Type } from '@nestjs/common';
import { Public, Scope } from '../../src/http/routes/access.js';
import { requestModules } from './request-modules.js';

export interface Run {
  readonly operationId: string;
  /** The number of earlier runs. */
  readonly number: number;
  readonly body: object;
}

type Behaviour = (run: Run) => object | Promise<object>;

const defaultBehaviour: Behaviour = ({ operationId, number, body }) => ({ id: operationId, number, body });

/** What the write routes of `operationsModule` do. Several gateways may share it, as they share workers. */
export class FakeOperations {
  private readonly runs: Run[] = [];
  private behaviour: Behaviour = defaultBehaviour;

  /** From now on; without an argument, as by default. */
  behave(behaviour: Behaviour = defaultBehaviour): void {
    this.behaviour = behaviour;
  }

  /** The runs whose body contains the mark. */
  runsWith(mark: string): Run[] {
    return this.runs.filter(({ body }) => JSON.stringify(body).includes(mark));
  }

  async run(body: object = {}): Promise<object> {
    const run = { operationId: currentContext()?.operationId ?? '', number: this.runs.length, body };
    this.runs.push(run);
    return this.behaviour(run);
  }
}

/**
 * The real request pipeline with `POST /operations`, `PATCH /operations/:id`, `POST /operations/query`, which only reads,
 * and the public `POST /open/operations`.
 */
export function operationsModule(operations: FakeOperations): Type {
  @Controller()
  class OperationsController {
    @Post('operations')
    @Scope('sms:write')
    create(@Body() body: object): Promise<object> {
      return operations.run(body);
    }

    @Post('operations/query')
    @Scope('sms:write', { isRead: true })
    query(@Body() body: object): Promise<object> {
      return operations.run(body);
    }

    @Patch('operations/:id')
    @Scope('sms:write')
    change(@Param('id') id: string, @Body() body: object): Promise<object> {
      return operations.run({ ...body, id });
    }

    @Post('open/operations')
    @Public()
    createOpenly(@Body() body: object): Promise<object> {
      return operations.run(body);
    }
  }

  @Module({ imports: requestModules, controllers: [OperationsController] })
  class OperationsModule {}
  return OperationsModule;
}
