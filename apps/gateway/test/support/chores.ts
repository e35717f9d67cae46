import { currentContext } from '@gangan/protocol';
import { Body, Controller, Module, Param, Patch, Post, type Type } from '@nestjs/common';
import { Public, Scope } from '../../src/http/routes/access.js';
import { door } from './door.js';

export interface Chore {
  /** Of the context it runs in: what it would create. */
  readonly operationId: string;
  /** How many ran before it. */
  readonly number: number;
  readonly body: object;
}

type Work = (chore: Chore) => object | Promise<object>;

const usualWork: Work = ({ operationId, number, body }) => ({ id: operationId, number, body });

/** What routes that write do in tests: as they are told. Several gateways may share it, as they share workers. */
export class Chores {
  readonly done: Chore[] = [];
  private work: Work = usualWork;

  /** From now on; without `work`, as usual. */
  becomes(work: Work = usualWork): void {
    this.work = work;
  }

  /** How often it ran with this in its body. */
  runs(mark: string): Chore[] {
    return this.done.filter(({ body }) => JSON.stringify(body).includes(mark));
  }

  async run(body: object = {}): Promise<object> {
    const chore = { operationId: currentContext()?.operationId ?? '', number: this.done.length, body };
    this.done.push(chore);
    return this.work(chore);
  }
}

/** The real edge with `POST /chores`, `PATCH /chores/:id` and the public `POST /open/chores` behind it. */
export function choresModule(chores: Chores): Type {
  @Controller()
  class ChoresController {
    @Post('chores')
    @Scope('sms:write')
    create(@Body() body: object): Promise<object> {
      return chores.run(body);
    }

    @Patch('chores/:id')
    @Scope('sms:write')
    change(@Param('id') id: string, @Body() body: object): Promise<object> {
      return chores.run({ ...body, id });
    }

    @Post('open/chores')
    @Public()
    createOpenly(@Body() body: object): Promise<object> {
      return chores.run(body);
    }
  }

  @Module({ imports: door, controllers: [ChoresController] })
  class PeriodicTasksModule {}
  return PeriodicTasksModule;
}
